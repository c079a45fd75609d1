// Package memorybench measures what a play remembers: stories with numbered facts are
// played through the whole engine by a model that is as careless as it is told to be,
// and what counts is what stands in the prompts that its server got.
//
// The suite plays a short form. The whole of it, forty scenes a story:
//
//	go test ./engine/memorybench -run MemoryBench -v -timeout 1h -scenes 40 -stories 3
package memorybench

import (
	"flag"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
)

var (
	scenesFlag  = flag.Int("scenes", 5, "scenes of a story of the memory bench")
	factsFlag   = flag.Int("facts", 5, "facts of a scene, about")
	secretsFlag = flag.Float64("secrets", 6, "facts that are whispered to one of the two, in per cent")
	storiesFlag = flag.Int("stories", 1, "stories for each rate")
	seedFlag    = flag.Uint64("seed", 1, "seed of the first story")
	ratesFlag   = flag.String("rates", "0,10,25", "how careless the model is, in per cent")
)

func TestMemoryBench(t *testing.T) {
	var heads []string
	var all []*Results
	var done sync.Mutex
	t.Run("play", func(t *testing.T) {
		for _, word := range strings.Split(*ratesFlag, ",") {
			rate, err := strconv.ParseFloat(word, 64)
			if err != nil {
				t.Fatal(err)
			}
			sum := newResults()
			heads, all = append(heads, word+" %"), append(all, sum)
			for n := range *storiesFlag {
				seed := *seedFlag + uint64(n)
				t.Run(fmt.Sprintf("rate %s seed %d", word, seed), func(t *testing.T) {
					t.Parallel()
					r := start(t, Tell(seed, *scenesFlag, *factsFlag, *secretsFlag/100), Careless(rate/100), seed)
					defer r.Shut()
					r.play()
					r.examine()
					t.Logf("%d turns, %d facts, asked %v\n%s", len(r.story.Turns), len(r.story.Facts), r.model.jobs, r.f.Reasons())
					done.Lock()
					defer done.Unlock()
					sum.Add(r.f)
				})
			}
		}
	})
	t.Logf("a model that drops and repeats at a rate, after %d scenes\n%s", *scenesFlag, Table(heads, all))
}
