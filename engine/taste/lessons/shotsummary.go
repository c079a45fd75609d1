package lessons

import (
	"fmt"
	"math"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// maxCommon is the maximum number of values of a field that a summary lists.
const maxCommon = 8

// summarize returns statistics of a list of shots, nil for none.
func summarize(shots []storage.Shot) *storage.ShotSummary {
	if len(shots) == 0 {
		return nil
	}
	s := &storage.ShotSummary{Shots: len(shots)}
	s.Key, s.Filler = kinds(shots)
	beats := map[storage.BeatID]bool{}
	sizes, angles, movements, jobs := map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
	add := func(in map[string]int, key string) {
		if key = strings.ToLower(plain(key)); key != "" {
			in[key]++
		}
	}
	timed, inBeats, seconds := 0, 0, 0.0
	for _, x := range shots {
		add(sizes, x.Size)
		add(angles, x.Angle)
		add(movements, x.Movement)
		add(jobs, x.Job)
		if x.Seconds > 0 {
			timed++
			seconds += x.Seconds
		}
		if x.Beat != "" {
			inBeats++
			beats[x.Beat] = true
		}
	}
	s.AverageSeconds, s.PerKeyBeat = ratio(seconds, timed), ratio(float64(inBeats), len(beats))
	s.Sizes, s.Angles = tallies(sizes, maxCommon), tallies(angles, maxCommon)
	s.Movements, s.Jobs = tallies(movements, maxCommon), tallies(jobs, maxCommon)
	s.Sentence = sentence(s)
	return s
}

// kinds counts key shots and fillers.
func kinds(shots []storage.Shot) (key, filler int) {
	for _, s := range shots {
		if s.Kind == storage.FillerShot {
			filler++
		} else {
			key++
		}
	}
	return key, filler
}

// ratio returns a quotient with one decimal, 0 for a zero divisor.
func ratio(a float64, n int) float64 {
	if n == 0 {
		return 0
	}
	return math.Round(10*a/float64(n)) / 10
}

// sentence describes a list of shots in one sentence.
func sentence(s *storage.ShotSummary) string {
	words := fmt.Sprintf("%s, %d key and %d filler", counted(s.Shots, "shot"), s.Key, s.Filler)
	if s.AverageSeconds > 0 {
		words += fmt.Sprintf(", %g seconds on average", s.AverageSeconds)
	}
	if s.PerKeyBeat > 0 {
		words += fmt.Sprintf(", %g per key beat", s.PerKeyBeat)
	}
	var most []string
	for _, list := range [][]storage.Tally{s.Sizes, s.Angles, s.Movements, s.Jobs} {
		if len(list) > 0 {
			most = append(most, list[0].Name)
		}
	}
	if len(most) > 0 {
		words += "; most often " + strings.Join(most, ", ")
	}
	return words + "."
}
