// Package studiobench measures whether prompts of pictures say what was chosen: a model
// that is as careless as it is told to be plays the whole way from the request to the
// draft, and what counts is the prompt that would be sent.
//
//	go test ./engine/studiobench -run StudioBench -v
package studiobench

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures/capture"
	"github.com/ghostlight-theatre/ghostlight/engine/rehearsal"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

var (
	choicesFlag = flag.Int("choices", 40, "camera choices for each moment of the studio bench")
	momentsFlag = flag.Int("moments", 5, "moments of the studio bench")
	ratesFlag   = flag.String("rates", "0,25,60", "how careless the model is, in per cent")
	seedFlag    = flag.Uint64("seed", 1, "seed of the played model")
)

func TestMain(m *testing.M) { enginetest.Main(m) }

// moments are what the newest message tells.
var moments = []string{
	"*She lifts the lid of the trunk. Late morning light lies on the boards, and the lamp beside her is out.* \"Look.\"",
	"*He stands in the doorway, rain on his shoulders, the fire low behind him.* \"You came.\"",
	"*They sit across from each other at the long table; a candle gutters between them.*",
	"*On the roof the wind pulls at her coat. The city lies far below, neon along the river.*",
	"*She looks over her shoulder. Nobody has followed.* \"Close the door.\"",
}

// figures are what is counted.
type figures struct {
	prompts, contradictory, lacking int
	sketches, right                 int
	people, told, warned            int
	angles, off                     int
	fits, unfit                     int
	asked, again                    int
	notes                           []string
}

func (f *figures) note(format string, args ...any) {
	if len(f.notes) < 8 {
		f.notes = append(f.notes, fmt.Sprintf(format, args...))
	}
}

func TestStudioBench(t *testing.T) {
	var heads []string
	var all []*figures
	var mu sync.Mutex
	t.Run("play", func(t *testing.T) {
		for word := range strings.SplitSeq(*ratesFlag, ",") {
			var rate float64
			if _, err := fmt.Sscan(word, &rate); err != nil {
				t.Fatal(err)
			}
			f := &figures{}
			heads, all = append(heads, word+" %"), append(all, f)
			for n := range min(*momentsFlag, len(moments)) {
				t.Run(fmt.Sprintf("rate %s moment %d", word, n+1), func(t *testing.T) {
					t.Parallel()
					one := play(t, n, rate/100)
					mu.Lock()
					defer mu.Unlock()
					f.add(one)
				})
			}
		}
	})
	t.Logf("a model that does not listen at a rate\n%s", table(heads, all))
	for i, f := range all {
		for _, n := range f.notes {
			t.Logf("%s: %s", heads[i], n)
		}
		if f.contradictory > 0 || f.off > 0 || f.right < f.sketches || f.told+f.warned < f.people || f.unfit > 0 {
			t.Errorf("at %s: %d contradictory prompts, %d angles off, %d of %d sketches, %d of %d people, %d that do not fit", heads[i],
				f.contradictory, f.off, f.right, f.sketches, f.told+f.warned, f.people, f.unfit)
		}
	}
}

func (f *figures) add(o *figures) {
	f.prompts, f.contradictory, f.lacking = f.prompts+o.prompts, f.contradictory+o.contradictory, f.lacking+o.lacking
	f.sketches, f.right = f.sketches+o.sketches, f.right+o.right
	f.people, f.told, f.warned = f.people+o.people, f.told+o.told, f.warned+o.warned
	f.angles, f.off = f.angles+o.angles, f.off+o.off
	f.fits, f.unfit = f.fits+o.fits, f.unfit+o.unfit
	f.asked, f.again = f.asked+o.asked, f.again+o.again
	f.notes = append(f.notes, o.notes...)
}

// stage is a scene of three, told up to a moment.
func stage(t *testing.T, n int, rate float64, context int, long string) (*enginetest.Stage, *model) {
	m := &model{r: rand.New(rand.NewPCG(*seedFlag, uint64(n))), careless: rate}
	s := enginetest.NewStage(t, func(o *enginetest.Setup) {
		o.Cfg.Sampling.NumCtx = context
		o.House = rehearsal.Options{Answer: m.Answer}
	})
	who, err := s.Library.SaveCharacter(storage.Character{Immersion: storage.Full,
		Card:    storage.Card{Name: "Tove Lind", Description: "Tove Lind is a stage carpenter of forty. " + long, Personality: "dry " + long, Scenario: "An old theatre. " + long, FirstMessage: "The house is dark."},
		Imagery: storage.Imagery{Appearance: "tall, copper hair in a braid, freckles, moss-green cardigan", Style: "ink and wash drawing"}})
	enginetest.Must(t, err)
	other, err := s.Library.SaveCharacter(storage.Character{Immersion: storage.Full,
		Card: storage.Card{Name: "Mara", Description: "Mara is the harbour pilot. She has cropped white hair and a scar on her chin, and wears a yellow oilskin coat. " + long, FirstMessage: "Well."}})
	enginetest.Must(t, err)
	p, err := s.Library.SavePersona(storage.Persona{Name: "Robin", Description: "Robin has a short black beard and wears a grey raincoat. " + long})
	enginetest.Must(t, err)
	c, err := s.Chats.New(who.ID, "A bench")
	enginetest.Must(t, err)
	s.Chat = c.ID
	enginetest.Must(t, s.Chats.JoinCast(s.Chat, other.ID))
	enginetest.Must(t, s.Chats.Change(s.Chat, func(c *storage.Chat) { c.Persona = p.ID }))
	return s, m
}

// play counts at one moment.
func play(t *testing.T, n int, rate float64) *figures {
	f := &figures{}
	s, m := stage(t, n, rate, 8192, "")
	defer s.Shut()
	s.Tell("Good evening.", moments[n])
	enginetest.Must(t, s.Start())
	r := rand.New(rand.NewPCG(*seedFlag, 77+uint64(n)))
	for i := range *choicesFlag {
		c := s.Drafted(pictures.CaptureRequest{Camera: choice(r, i)})
		f.prompts++
		if why := contradicts(c.Prompt, c.Camera); why != "" {
			f.contradictory++
			f.note("%s: %s", why, c.Prompt)
		}
		if why := lacks(c.Prompt, c.Camera); why != "" {
			f.lacking++
			f.note("says no %s: %s", why, c.Prompt)
		}
	}
	for range 4 {
		c := s.Drafted(pictures.CaptureRequest{})
		f.view(c)
	}
	sketches(s, f, n)
	angles(s, f)
	f.asked, f.again = m.asked, m.again
	fit(t, f, n, rate)
	return f
}

// choice is the i-th camera: each value comes.
func choice(r *rand.Rand, i int) (c storage.Camera) {
	pick := func(list []capture.Preset, i int) string { return list[i%len(list)].Key }
	c.Shot, c.Lighting = pick(capture.Shots(), i), pick(capture.Lightings(), i)
	if r.IntN(4) > 0 {
		c.Angle = pick(capture.Angles(), i)
	}
	switch r.IntN(4) {
	case 0:
		c.Lens = pick(capture.Lenses(), i)
	case 1:
		c.Composition = pick(capture.Compositions(), i)
	case 2:
		c.Shot = ""
	}
	return c
}

// looksOf are words of how each of the three looks.
var looksOf = map[string][]string{"Tove": {"copper", "freckles", "cardigan"}, "Robin": {"beard", "raincoat"}, "Mara": {"white hair", "scar", "oilskin"}}

// view counts who of the three is named with looks, or of whom it is said that they are
// missing.
func (f *figures) view(c storage.Capture) {
	for name, looks := range looksOf {
		f.people++
		said := strings.Contains(c.Prompt, name)
		seen := false
		for _, l := range looks {
			seen = seen || strings.Contains(c.Prompt, l)
		}
		switch {
		case said && seen:
			f.told++
		case strings.Contains(strings.Join(c.Warnings, "\n"), name):
			f.warned++
		default:
			f.note("%s is neither there nor missed: %s", name, c.Prompt)
		}
	}
}

// sketches draws shots of a storyboard.
func sketches(s *enginetest.Stage, f *figures, n int) {
	for i := range 6 {
		k := 6*n + i
		camera := storage.Camera{Shot: capture.Shots()[k%7].Key, Angle: capture.Angles()[k%9].Key}
		c := s.Drafted(pictures.CaptureRequest{Camera: camera, Requested: "Tove's hands on the latch of the trunk",
			Order: &storage.ShotOrder{Size: camera.Shot, Angle: camera.Angle, Subject: "Tove's hands", Action: "Tove's hands lie on the latch of the trunk."}})
		f.sketches++
		size, angle := says(c.Prompt, "shot"), says(c.Prompt, "angle")
		if len(size) == 1 && size[camera.Shot] && len(angle) == 1 && angle[camera.Angle] {
			f.right++
		} else {
			f.note("a sketch of %s, %s: %s", camera.Shot, camera.Angle, c.Prompt)
		}
	}
}

// angles looks at one moment from all sides.
func angles(s *enginetest.Stage, f *figures) {
	v, err := s.Pictures.CaptureBatch(s.Chat, pictures.BatchRequest{By: storage.ByAngles})
	enginetest.Must(s.T, err)
	v = s.BatchWhere(v.ID, func(v pictures.BatchView) bool { return v.Prompting == 0 })
	for _, id := range v.Captures {
		c := s.Stored(id)
		f.angles++
		if why := contradicts(c.Prompt, c.Camera); why != "" || lacks(c.Prompt, c.Camera) != "" {
			f.off++
			f.note("an angle: %s: %s", why, c.Prompt)
		}
	}
}

// fit asks with cards of two thousand tokens in a context of 4,096, and with ten
// messages of 3,600 characters in one of 8,192.
func fit(t *testing.T, f *figures, n int, rate float64) {
	for _, at := range []int{4096, 8192} {
		long, said := strings.Repeat("The theatre has eighty-eight seats, and each of them has a story of its own. ", 100), ""
		if at == 8192 {
			long, said = "", strings.Repeat("They walk on along the quay, and the gulls cry above the roofs while the tide goes out. ", 41)
		}
		s, _ := stage(t, n, rate, at, long)
		var texts []string
		for i := range 5 {
			texts = append(texts, fmt.Sprintf("%d. %s", i, said))
		}
		s.Tell(append(texts, said+moments[n])...)
		enginetest.Must(t, s.Start())
		for _, r := range []pictures.CaptureRequest{{}, {Requested: "the trunk"}, {Kind: "video"}} {
			c, err := s.Pictures.Capture(s.Chat, r)
			enginetest.Must(t, err)
			for c.Status == storage.CapturePrompting {
				enginetest.Until(s, func(ev pictures.CaptureChanged) bool { return ev.Capture.ID == c.ID })
				c = s.Stored(c.ID)
			}
			f.fits++
			if c.Prompt == "" {
				f.unfit++
				f.note("does not fit at %d: %s", at, c.Error)
			}
		}
		s.Shut()
	}
}

func table(heads []string, all []*figures) string {
	var b strings.Builder
	row := func(name string, value func(*figures) string) {
		fmt.Fprintf(&b, "%-62s", name)
		for _, f := range all {
			fmt.Fprintf(&b, "%14s", value(f))
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "%-62s", "")
	for _, h := range heads {
		fmt.Fprintf(&b, "%14s", h)
	}
	b.WriteString("\n")
	row("camera choices × moments: contradictory prompts (goal 0)", func(f *figures) string { return fmt.Sprintf("%d of %d", f.contradictory, f.prompts) })
	row("  prompts that leave out what was chosen", func(f *figures) string { return fmt.Sprintf("%d of %d", f.lacking, f.prompts) })
	row("angles of a moment: contradictory or not said (goal 0)", func(f *figures) string { return fmt.Sprintf("%d of %d", f.off, f.angles) })
	row("sketches: size and angle of the prompt are those of the shot", func(f *figures) string { return fmt.Sprintf("%d of %d", f.right, f.sketches) })
	row("people in view, 3 of them: named with looks", func(f *figures) string { return fmt.Sprintf("%d of %d", f.told, f.people) })
	row("  not, and a warning says so", func(f *figures) string { return fmt.Sprintf("%d", f.warned) })
	row("requests that do not fit, 4,096 and 8,192 tokens (goal 0)", func(f *figures) string { return fmt.Sprintf("%d of %d", f.unfit, f.fits) })
	row("answers of the model, of these asked once more", func(f *figures) string { return fmt.Sprintf("%d, %d", f.asked, f.again) })
	return b.String()
}
