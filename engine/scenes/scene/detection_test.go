package scene

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

func TestJudge(t *testing.T) {
	candidates := []Message{
		says(storage.User, "Robin", "I don't wait. I walk down to the *old harbour* and\nsit on a bollard."),
		says(storage.Assistant, "Mara", "_The next morning_, the lighthouse’s door stands open. “Come in,” says Ana. 三日後、港に着いた。 Über Nacht fiel Schnee. Straße — dunkel."),
	}
	for name, c := range map[string]struct {
		rationale string
		at        int
		cue       string // "" is not ok
	}{
		"straight marks":                 {`They moved: "walk down to the old harbour".`, 0, "walk down to the old harbour"},
		"over a line end":                {`"old harbour and sit on a bollard"`, 0, "old harbour and sit on a bollard"},
		"curly marks":                    {`Time has passed: “the next morning”.`, 1, "the next morning"},
		"low and high marks":             {`Zeit vergeht: „über nacht fiel schnee“`, 1, "über nacht fiel schnee"},
		"french marks":                   {`Le temps passe : « The next morning »`, 1, "The next morning"},
		"german french marks":            {`»The next morning«`, 1, "The next morning"},
		"single marks":                   {`It says 'the next morning', so yes.`, 1, "the next morning"},
		"backticks":                      {"It says `the next morning`.", 1, "the next morning"},
		"japanese marks":                 {"「三日後」とある。", 1, "三日後"},
		"two letters of a dense script":  {"「三日」", 1, "三日"},
		"one letter of a dense script":   {"「三」", 0, ""},
		"comma and case within":          {`"THE NEXT MORNING, the lighthouse's door"`, 1, "THE NEXT MORNING, the lighthouse's door"},
		"full stop of its own":           {`"sit on a bollard."`, 0, "sit on a bollard"},
		"another kind of dash":           {`"Straße - dunkel"`, 1, "Straße - dunkel"},
		"emphasis that is not there":     {`"**The next** morning"`, 1, "**The next** morning"},
		"one long word":                  {`"lighthouse's"`, 1, "lighthouse's"},
		"the second of two":              {`Unlike "the warm kitchen", now "the old harbour".`, 0, "the old harbour"},
		"an apostrophe within single":    {`The cue is 'I don't wait'.`, 0, "I don't wait"},
		"a quotation in a quotation":     {`"door stands open. "Come in," says Ana"`, 1, "door stands open"},
		"not in the message":             {`"three days later"`, 0, ""},
		"out of an older message":        {`"pours the tea"`, 0, ""},
		"part of a word":                 {`"alk down to the old harb"`, 0, ""},
		"the end of a word":              {`"and sit on a boll"`, 0, ""},
		"part of a word with apostrophe": {`"I don"`, 0, ""},
		"no quotation":                   {`They walk down to the old harbour.`, 0, ""},
		"no rationale":                   {``, 0, ""},
		"one short word":                 {`"wait"`, 0, ""},
		"only signs":                     {`"---" and "..."`, 0, ""},
		"an empty quotation":             {`"" and “”`, 0, ""},
		"never closed":                   {`"the old harbour`, 0, ""},
		"between two quotations":         {`"no such words" the old harbour "nor these"`, 0, ""},
		"closed by another kind":         {`“old harbour", it says`, 0, "old harbour"},
		"after one of another kind":      {`“no such words" the old harbour "nor these"`, 0, ""},
		"words in another order":         {`"old the harbour"`, 0, ""},
		"words left out":                 {`"walk to the old harbour"`, 0, ""},
		"a blank too few":                {`"theold harbour"`, 0, ""},
		"an ellipsis":                    {`"walk down … old harbour"`, 0, ""},
	} {
		at, cue, ok := HasEvidence(Detection{Status: true, Rationale: c.rationale}, candidates)
		if ok != (c.cue != "") || at != c.at || cue != c.cue {
			t.Errorf("%s: %d %q %v, want %d %q", name, at, cue, ok, c.at, c.cue)
		}
		if _, _, ok := HasEvidence(Detection{Rationale: c.rationale}, candidates); ok {
			t.Errorf("%s: a break although the model says there is none", name)
		}
		if _, _, ok := HasEvidence(Detection{Status: true, Rationale: c.rationale}, nil); ok {
			t.Errorf("%s: found in no message", name)
		}
	}
}

func FuzzJudge(f *testing.F) {
	f.Add(`They moved: "the old harbour"`, "I walk to the *old* harbour.", "Mara")
	f.Add("“\xffé é” ‘it's’ „ab cd“", "\xff\xfeé é", "")
	f.Add(`"三日"`, "三日後", "x")
	f.Fuzz(func(t *testing.T, rationale, one, two string) {
		candidates := []Message{{Text: one}, {Text: two}}
		at, cue, ok := HasEvidence(Detection{Status: true, Rationale: rationale}, candidates)
		if !ok {
			if at != 0 || cue != "" {
				t.Fatalf("%d %q without a break", at, cue)
			}
			return
		}
		if !strings.ContainsAny(rationale, "\"“”„«»‹›「『‘‚'`") {
			t.Fatal("found without any quotation")
		}
		if !utf8.ValidString(cue) || at < 0 || at > 1 {
			t.Fatalf("%d %q", at, cue)
		}
	})
}

func BenchmarkJudge(b *testing.B) {
	m := []Message{{Text: strings.Repeat("She laughs, and the lamp flickers. ", 200) + "The next morning, rain."}}
	d := Detection{Status: true, Rationale: "Time has passed: “the next morning”."}
	for b.Loop() {
		if _, _, ok := HasEvidence(d, m); !ok {
			b.Fatal("not found")
		}
	}
}
