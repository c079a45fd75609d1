package storyboard

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// beats puts key beats in place of those there are. One that comes with the id of a
// present one stays that beat; what hangs on a beat that goes, its budget and its
// package, goes with it, and its shots stay without one.
func (w *work) beats() error {
	list, err := w.in.objects("beats", maxBeats)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return refuse("there must be at least one beat")
	}
	beats := make([]storage.BoardBeat, len(list))
	for i, o := range list {
		if beats[i], err = beatOf(o); err != nil {
			return numbered(err, i, len(list))
		}
		name, _, err := o.line("id", maxNote)
		if err != nil {
			return numbered(err, i, len(list))
		}
		id, err := findBeat(w.Beats, name)
		if err != nil || slices.ContainsFunc(beats[:i], func(b storage.BoardBeat) bool { return b.ID == id }) {
			id = w.newBeat()
		}
		beats[i].ID = id
	}
	w.Beats = beats
	gone := func(id storage.BeatID) bool {
		return !slices.ContainsFunc(beats, func(b storage.BoardBeat) bool { return b.ID == id })
	}
	w.Budget = slices.DeleteFunc(w.Budget, func(a storage.Allotment) bool { return gone(a.Beat) })
	w.Packages = slices.DeleteFunc(w.Packages, func(k storage.BeatPackage) bool { return gone(k.Beat) })
	for i, s := range w.Shots {
		if s.Beat != "" && gone(s.Beat) {
			w.Shots[i].Beat = ""
		}
	}
	w.byBeat()
	w.say(nil, "The scene turns on %s.", countWord(len(beats), "key beat"))
	return nil
}

func beatOf(o object) (storage.BoardBeat, error) {
	var b storage.BoardBeat
	var err error
	if b.Text, _, err = o.text("text", maxNote); err != nil {
		return b, err
	}
	if b.Text == "" {
		return b, refuse("a beat needs a text: what happens")
	}
	if b.Why, _, err = o.text("why", maxNote); err != nil {
		return b, err
	}
	for _, v := range o.list("messages") {
		id, ok := v.(string)
		if id = tidyLine(id); !ok || id == "" || len([]rune(id)) > maxID {
			return b, refuse("messages must be a list of the ids of messages")
		}
		if len(b.Messages) == maxMessages {
			return b, refuse("a beat has at most %d messages", maxMessages)
		}
		if !slices.Contains(b.Messages, storage.NodeID(id)) {
			b.Messages = append(b.Messages, storage.NodeID(id))
		}
	}
	return b, nil
}

// byBeat puts budget and packages in the order of the beats.
func (w *work) byBeat() {
	order := make(map[storage.BeatID]int, len(w.Beats))
	for i, b := range w.Beats {
		order[b.ID] = i
	}
	slices.SortStableFunc(w.Budget, func(a, b storage.Allotment) int { return cmp.Compare(order[a.Beat], order[b.Beat]) })
	slices.SortStableFunc(w.Packages, func(a, b storage.BeatPackage) int { return cmp.Compare(order[a.Beat], order[b.Beat]) })
}

func (w *work) needBeats() error {
	if len(w.Beats) == 0 {
		return refuse("the scene has no key beats yet: %s comes first", RecommendBeats)
	}
	return nil
}

func (w *work) filler() error {
	if err := w.needBeats(); err != nil {
		return err
	}
	f, err := fillerOf(w.in)
	if err != nil {
		return err
	}
	w.Filler = f
	w.say(nil, "Filler between the key shots: %s.", f.Amount)
	return nil
}

func fillerOf(o object) (*storage.FillerStrategy, error) {
	var f storage.FillerStrategy
	text, _, err := o.line("amount", maxNote)
	if err != nil {
		return nil, err
	}
	if f.Amount = amountOf(text); f.Amount == "" {
		return nil, refuse("amount must be %s, not %q", strings.Join(amounts(), ", "), cutRunes(text, maxWord))
	}
	list := o.list("jobs")
	if len(list) > maxJobs {
		return nil, refuse("jobs has %d entries, and %d are the most", len(list), maxJobs)
	}
	for _, v := range list {
		s, ok := v.(string)
		if !ok {
			return nil, refuse("jobs must be a list of words")
		}
		if s = Normal(FieldJob, s); s != "" && !slices.Contains(f.Jobs, s) {
			f.Jobs = append(f.Jobs, s)
		}
	}
	if f.Where, _, err = o.text("where", maxNote); err != nil {
		return nil, err
	}
	f.Why, _, err = o.text("why", maxNote)
	return &f, err
}

func (w *work) budget() error {
	if err := w.needBeats(); err != nil {
		return err
	}
	list, err := w.in.objects("budget", maxBeats)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return refuse("there must be a budget for at least one beat")
	}
	w.Budget = nil
	shots, seconds := 0, 0.0
	for i, o := range list {
		a, err := allotmentOf(o, w.Beats)
		if err != nil {
			return numbered(err, i, len(list))
		}
		if slices.ContainsFunc(w.Budget, func(b storage.Allotment) bool { return b.Beat == a.Beat }) {
			return numbered(refuse("beat %s has a budget already", a.Beat), i, len(list))
		}
		w.Budget = append(w.Budget, a)
		shots, seconds = shots+a.Key+a.Filler, seconds+a.Seconds
	}
	if shots > maxShots {
		return refuse("the budget has %d shots, and %d are the most", shots, maxShots)
	}
	w.byBeat()
	w.say(nil, "Budget: %s, %s.", countWord(shots, "shot"), secondsWord(seconds))
	return nil
}

func allotmentOf(o object, beats []storage.BoardBeat) (storage.Allotment, error) {
	var a storage.Allotment
	name, _, err := o.line("beat", maxNote)
	if err != nil {
		return a, err
	}
	if a.Beat, err = findBeat(beats, name); err != nil {
		return a, err
	}
	if a.Key, _, err = o.count("key", 0, maxAllotted); err != nil {
		return a, err
	}
	if a.Filler, _, err = o.count("filler", 0, maxAllotted); err != nil {
		return a, err
	}
	a.Seconds, _, err = o.seconds("seconds", maxBeatSeconds)
	return a, err
}

// pack puts the shots of a beat in place of those that were written for it before.
func (w *work) pack() error {
	name, _, err := w.in.line("beat", maxNote)
	if err != nil {
		return err
	}
	beat, err := findBeat(w.Beats, name)
	if err != nil {
		return err
	}
	list, err := w.in.objects("shots", 2*maxAllotted)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return refuse("there must be at least one shot for beat %s", beat)
	}
	shots := make([]storage.Shot, len(list))
	for i, o := range list {
		shots[i].Kind = storage.KeyShot
		if _, err := setFields(&shots[i], o, w.Beats); err != nil {
			return numbered(err, i, len(list))
		}
		shots[i].ID, shots[i].Beat = w.newShot(), beat
	}
	w.Packages = slices.DeleteFunc(w.Packages, func(k storage.BeatPackage) bool { return k.Beat == beat })
	w.Packages = append(w.Packages, storage.BeatPackage{Beat: beat, Shots: shots})
	total := 0
	for _, k := range w.Packages {
		total += len(k.Shots)
	}
	if total > maxShots {
		return refuse("the beats would have %d shots, and %d are the most", total, maxShots)
	}
	w.byBeat()
	w.say(shotIDs(shots), "Wrote %s for beat %s.", countWord(len(shots), "shot"), beat)
	return nil
}

// numbered says which entry of a list an error is about.
func numbered(err error, i, of int) error {
	if err == nil || of == 1 {
		return err
	}
	return refuse("entry %d: %s", i+1, err)
}

func countWord(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func secondsWord(n float64) string {
	n = hundredths(n)
	if n == 1 {
		return "1 second"
	}
	return fmt.Sprintf("%v seconds", n)
}

// amounts are the choices of how much filler there is.
func amounts() []string { return []string{"none", "light", "medium", "rich"} }

// amountOf is the amount that a word means, "" for none of them.
func amountOf(text string) string {
	switch key := wordKey(text); key {
	case "no", "zero", "without":
		return "none"
	case "few", "little", "low", "sparse", "minimal", "some":
		return "light"
	case "moderate", "normal", "balanced", "average":
		return "medium"
	case "many", "heavy", "high", "much", "full":
		return "rich"
	default:
		if slices.Contains(amounts(), key) {
			return key
		}
	}
	return ""
}
