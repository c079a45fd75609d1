package formats

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

func mustPreset(t *testing.T, file string) Preset {
	t.Helper()
	p, err := ReadPreset("dir/"+file, load(t, "presets/"+file))
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return p
}

// presetWords tell of a preset what a test looks at.
func presetWords(p Preset) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", p.Name, strings.Join(p.Kinds, ", "))
	if f := p.Profile; f != nil {
		n := func(v *float64) string {
			if v == nil {
				return "-"
			}
			return fmt.Sprint(*v)
		}
		w := func(v *int) string {
			if v == nil {
				return "-"
			}
			return fmt.Sprint(*v)
		}
		fmt.Fprintf(&b, "t %s p %s k %s min %s rep %s ctx %d out %d seed %s prefill %q\n", n(f.Temperature), n(f.TopP), w(f.TopK), n(f.MinP), n(f.RepeatPen), f.NumCtx, f.NumPredict, w(f.Seed), f.Prefill)
	}
	for _, x := range p.Texts {
		fmt.Fprintf(&b, "%s %q\n", x.Use, x.Text)
	}
	for _, r := range p.Remarks {
		fmt.Fprintf(&b, "- %s\n", r)
	}
	return b.String()
}

func TestReadPreset(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"textgen.json": `textgen: samplers
t 0.85 p 0.92 k 0 min 0.05 rep 1.12 ctx 0 out 350 seed - prefill ""
- not supported by Ollama, kept with the preset: dry_multiplier 0.8
- instead of DRY: a sentence that nearly repeats one of the last replies is cut and generated again (voice.repeat); ghostlight chat habits lists repetitions
`,
		"kobold.json": `kobold: samplers
t 0.6 p 1 k 40 min - rep 1.1 ctx 0 out 2048 seed - prefill ""
- not supported by Ollama, kept with the preset: rep_pen_slope 0.7, tfs 0.9
- instead of mirostat and similar samplers: min_p from 0.03 to 0.1 is the closest
`,
		"novel.json": `novel: samplers
t - p 0.85 k 25 min - rep 1.6 ctx 0 out 2048 seed - prefill ""
- temperature is 7.5, and goes from 0 to 5 here; it was left out
- not supported by Ollama, kept with the preset: min_length 1, phrase_rep_pen "aggressive", tail_free_sampling 0.95
- instead of DRY: a sentence that nearly repeats one of the last replies is cut and generated again (voice.repeat); ghostlight chat habits lists repetitions
- instead of mirostat and similar samplers: min_p from 0.03 to 0.1 is the closest
`,
		"chat.json": `chat: chat completion, samplers
t 1.05 p 0.98 k 0 min 0 rep 1 ctx 0 out 900 seed 7 prefill "Of course:"
main "Keep it tense.\n\nPlay {{char}} with care."
after "Short paragraphs."
all "## Auxiliary\n\nKeep it tense.\n\n## Main Prompt\n\nPlay {{char}} with care.\n\n## Weather\n\nIt rains.\n\n## Verse (off)\n\nWrite in verse.\n\n## Last word\n\nShort paragraphs.\n\n## Unlisted (off)\n\nNobody lists me.\n\n## impersonation_prompt\n\n[Speak as {{user}} now.]\n\n## continue_nudge_prompt\n\n[Go on.]"
- a context of 131072 tokens was left out: how much fits depends on your model and memory (ghostlight profile set NAME --num-ctx N)
- not supported by Ollama, kept with the preset: reasoning_effort "high"
- turned off in the preset; they are only in the list of its prompts: 2 prompts
- inserted between the messages there, at a depth: 1 prompt; an author's note is the closest; all are in the list
- kept with the preset and not in use: 1 regex script
`,
		"instruct.json": `My ChatML: instruct
- the sequences of the instruct template were kept, but are not needed: the server formats prompts with the model's own template
`,
		"instruct-old.json": `Old Roleplay: instruct
main "Enter roleplay mode. You are {{char}}."
- the sequences of the instruct template were kept, but are not needed: the server formats prompts with the model's own template
- not supported here, kept: activation_regex
`,
		"context.json": `Plain story: context
story "{{#if system}}{{system}}\n{{/if}}{{#if wiBefore}}{{wiBefore}}\n{{/if}}{{#if description}}{{description}}\n{{else}}{{char}}{{/if}}{{trim}}"
- the story string was kept as a text for reference: the order of the prompt's parts is fixed here
- not supported here, kept: example_separator, trim_sentences
`,
		"sysprompt.json": `Stage voice: system prompt
main "You are {{char}}. {{random::Be brief::Take your time}}."
after "Stay in the scene."
`,
		"reasoning.json": `Thoughts: reasoning
- the reasoning template was kept, but is not needed: the server separates thinking from the reply
`,
		"master.json": `All of it: instruct, context, system prompt, samplers, reasoning
t 0.7 p 0.9 k 20 min - rep 1.05 ctx 0 out 2048 seed - prefill ""
story "{{system}}"
main "Be {{char}}."
- the sequences of the instruct template were kept, but are not needed: the server formats prompts with the model's own template
- the story string was kept as a text for reference: the order of the prompt's parts is fixed here
- the reasoning template was kept, but is not needed: the server separates thinking from the reply
`,
		"quick.json": `At hand: quick replies
replies "[[quick_replies]]\nlabel = \"Look\"\ntext = \"I look around.\\n\\\"Who's there?\\\"\"\ndo = \"send\"\n\n# [[quick_replies]]\n# label = \"Dice\"\n# text = \"/roll 2d6 | /echo {{pipe}}\"\n# do = \"send\"\n#\n"
- quick replies are in the config file here; copy this text there: 1 reply
- STscript, which is not supported, as comments: 1 reply
`,
		"quick-old.json": `Old set: quick replies
replies "[[quick_replies]]\nlabel = \"Nod\"\ntext = \"I nod.\"\ndo = \"insert\"\n\n"
- quick replies are in the config file here; copy this text there: 1 reply
`,
	} {
		p := mustPreset(t, file)
		if diff := cmp.Diff(want, presetWords(p)); diff != "" {
			t.Errorf("%s: %s", file, diff)
		}
		if diff := cmp.Diff(tree(t, load(t, "presets/"+file)), tree(t, p.Source)); diff != "" {
			t.Errorf("%s: the kept document differs: %s", file, diff)
		}
		if kind := Detect(file, load(t, "presets/"+file)); kind != KindPreset && kind != KindQuickReplies {
			t.Errorf("%s is taken for %s", file, kind)
		}
	}
}

func TestReadPreset_Refusals(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text, words string
		kind              error
	}{
		{"a card", string(load(t, "v2.json")), "character card", ErrNotPreset},
		{"a book", string(load(t, "lorebook.json")), "lorebook", ErrNotPreset},
		{"a list", `[1]`, "is not an object", ErrNotPreset},
		{"nothing", `{}`, "no fields of a preset", ErrNotPreset},
		{"broken", `{"temp": 1,`, "", ErrDamaged},
		{"a picture", "\xff\xd8\xff\xe0", "JPEG", ErrNotPreset},
		{"large", strings.Repeat(" ", MaxPresetFile+1), "the limit is", ErrTooLarge},
		{"deep", `{"temp":1,"top_p":1,"x":` + strings.Repeat("[", tooDeep) + strings.Repeat("]", tooDeep) + "}", "max depth", ErrDamaged},
	} {
		_, err := ReadPreset("x.json", []byte(tt.text))
		if !errors.Is(err, tt.kind) || !strings.Contains(fmt.Sprint(err), tt.words) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

func FuzzReadPreset(f *testing.F) {
	for _, file := range []string{"textgen", "kobold", "novel", "chat", "instruct", "instruct-old", "context", "sysprompt", "reasoning", "master", "quick", "quick-old"} {
		f.Add(load(f, "presets/"+file+".json"))
	}
	f.Add([]byte(`{"temp":"1e3","top_p":[],"top_k":1e99,"seed":9.5,"genamt":-4,"openai_max_context":257,"custom_stopping_strings":"[\"a\",1]"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := ReadPreset("x", data)
		if err != nil {
			return
		}
		if p.Name == "" || len(p.Kinds) == 0 || len(p.Remarks) > maxWarnings+1 {
			t.Fatalf("%+v", p)
		}
		if f := p.Profile; f != nil && (f.NumPredict < 1 || f.NumCtx != 0 && f.NumCtx <= f.NumPredict || f.Name != p.Name || beyond(*f)) {
			t.Fatalf("%+v", f)
		}
	})
}

func beyond(p storage.Profile) bool {
	for v, most := range map[*float64]float64{p.Temperature: 5, p.TopP: 1, p.MinP: 1, p.RepeatPen: 5} {
		if v != nil && !(*v >= 0 && *v <= most) {
			return true
		}
	}
	return p.TopK != nil && *p.TopK < 0 || len(p.Stop) > 20 || len(p.Prefill) > 4000
}

// What Ollama takes comes in, whatever the file calls it, and what it lacks is named with
// what the program does instead.
func TestReadPreset_AllThatOllamaTakes(t *testing.T) {
	read := func(doc string) Preset {
		t.Helper()
		p, err := ReadPreset("a.json", []byte(doc))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	p := read(`{"temp": 0.8, "top_p": 1, "typical_p": 0.9, "rep_pen": 1.1, "rep_pen_range": 0, "presence_pen": 0.2, "freq_pen": -0.3, "banned_tokens": "[\"x\"]", "xtc_probability": 0.5, "mirostat_mode": 2}`)
	f := p.Profile
	if *f.TypicalP != 0.9 || *f.RepeatLastN != -1 || *f.PresencePen != 0.2 || *f.FrequencyPen != -0.3 {
		t.Errorf("%+v", f)
	}
	said := strings.Join(p.Remarks, "\n")
	for _, want := range []string{"xtc_probability 0.5", "mirostat_mode 2", "voice.phrases", "instead of XTC", "instead of mirostat"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not said:\n%s", want, said)
		}
	}
	p = read(`{"temp": 0.8, "top_p": 1, "typical": 1, "rep_pen": 1, "rep_pen_range": 2048, "presence_penalty": 3, "frequency_penalty": 0}`)
	if f = p.Profile; f.TypicalP != nil || f.RepeatLastN != nil || f.PresencePen != nil || f.FrequencyPen != nil || !strings.Contains(strings.Join(p.Remarks, "\n"), "from -2 to 2") {
		t.Errorf("%+v %q", f, p.Remarks)
	}
}

// What Ollama lacks is named singly with what there is instead, and banned texts are told
// from numbers of tokens.
func TestPresetLacks(t *testing.T) {
	t.Parallel()
	source := `{"sysprompt": {"name": "x", "content": "y"}, "preset": {"temp": 1, "top_p": 1, "xtc_probability": 0.5, "dry_multiplier": 0.8, "cfg_scale": 2, "guidance_scale": 1.5,
		"banned_tokens": "\"a shiver runs\"\n[15, 16]\nbarely above a whisper\n[\"ministrations\"]\n\"/no/\"\nab", "global_banned_tokens": "\"a shiver runs\""}}`
	p, err := ReadPreset("x.json", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	lacks, banned := UnsupportedInPreset(p.Source)
	var names []string
	for _, l := range lacks {
		names = append(names, l.Name)
		if known := l.Name == "banned strings" || l.Name == "DRY" || l.Name == "XTC"; known != (l.Instead != "") {
			t.Errorf("%+v", l)
		}
	}
	if want := []string{"banned strings", "DRY", "XTC", "cfg_scale", "guidance_scale"}; !slices.Equal(names, want) {
		t.Errorf("%q", names)
	}
	if want := []string{"a shiver runs", "barely above a whisper", "ministrations"}; !slices.Equal(banned, want) {
		t.Errorf("%q", banned)
	}
	if lacks, banned := UnsupportedInPreset([]byte(`[1]`)); lacks != nil || banned != nil {
		t.Error("of no preset")
	}
}
