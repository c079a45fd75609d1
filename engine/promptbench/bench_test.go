// Package promptbench asks a real server each question that the program asks a model, on fixed
// stories, and counts the answers that can be used.
//
//	go run ./cmd/tinyollama -gguf FILE -- go test ./engine/promptbench -run Real -v
//
// A server makes valid JSON of a schema whatever the model, so that an answer has valid form says
// nothing. An answer is usable when it is not cut, the numbers that it cites were shown, nothing
// is copied from the prompt's own instruction, no required text is empty, none speaks of the task
// or is said twice, and the program's own checks pass.
//
// Without flags one story is asked about once, within a few minutes. To measure a prompt, ask
// about all of them, as often as it takes:
//
//	GHOSTLIGHT_TEST_OLLAMA=… go test ./engine/promptbench -run Real -v -timeout 3h -model NAME \
//		-stories 3 -repeats 3 -temperature -1 -cut 0 -patience 0 -within 0 -prompts DIR
//
// With -files DIR other texts are measured without building the test anew.
package promptbench

import (
	"cmp"
	"context"
	"flag"
	"os"
	"regexp"
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/ollamatest"
	"github.com/ghostlight-theatre/ghostlight/prompts"
)

var (
	modelFlag = flag.String("model", "",
		"model to ask; default: the small trained one of cmd/tinyollama, or the plain one")
	storiesFlag = flag.Int("stories", 1, "so many stories are asked about")
	repeatsFlag = flag.Int("repeats", 1, "each is asked about so often, with other seeds")
	seedFlag    = flag.Int("seed", 1, "the first seed")
	heatFlag    = flag.Float64("temperature", 0, "temperature; below 0 it is the program's")
	jobsFlag    = flag.String("jobs", "", "only jobs whose name matches this expression")
	dumpFlag    = flag.String("prompts", "", "folder for each prompt with its answers")
	filesFlag   = flag.String("files", "", "folder of prompt files that take the place of the built-in ones")
	contextFlag = flag.Int("context", 8192, "num_ctx")
	cutFlag     = flag.Int("cut", 200, "answers are cut after so many tokens for good; 0: as the program does")
	patience    = flag.Duration("patience", 30*time.Second, "a request that takes longer is cut; 0: none is")
	withinFlag  = flag.Duration("within", 4*time.Minute, "what is not asked after that is left out; 0: nothing is")
)

// randomModel is the name of the model of random weights: its answers say nothing of prompts.
const randomModel = "tiny"

// TestReal_PromptBench prints a table. It fails only where something happens that must never
// happen, whatever a model answers.
func TestReal_PromptBench(t *testing.T) {
	url, model := ollamatest.Real(t)
	model = cmp.Or(*modelFlag, os.Getenv("GHOSTLIGHT_TEST_SMALL_MODEL"), model)
	if model == randomModel {
		t.Skip("NOT TESTED: there is no trained model: give cmd/tinyollama one with -gguf, or name one with -model")
	}
	only, err := regexp.Compile(*jobsFlag)
	if err != nil {
		t.Fatal(err)
	}
	stories := readStories(t)
	stories = stories[:min(max(*storiesFlag, 1), len(stories))]
	a := newAsker(t, url, model)
	set, faults := prompts.Load(*filesFlag)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	began := time.Now()
	var out table
	for _, s := range stories {
		for repeat := range *repeatsFlag {
			for _, j := range jobs {
				switch {
				case !only.MatchString(j.name):
				case *withinFlag > 0 && time.Since(began) > *withinFlag:
					out.leftOut(j)
				default:
					c := j.request(set, s)
					r := a.ask(t.Context(), c, *seedFlag+repeat)
					r.size(c)
					out.add(j, r)
					t.Logf("%s of %s: %s %s", j.name, s.Name, r.outcome, r.why)
					dump(t, s, j, r, repeat)
					assertNever(t, s, j, r)
				}
			}
		}
	}
	t.Logf("%s, %d stories, %d repeats, temperature %g, from seed %d, in %s\n\n%s", model, len(stories),
		*repeatsFlag, *heatFlag, *seedFlag,
		time.Since(began).Round(time.Second), out.markdown())
}

// Each prompt can be made of each story, and has all of its material.
func TestJobs_MakePrompts(t *testing.T) {
	set := prompts.BuiltIn()
	for _, s := range readStories(t) {
		for _, j := range jobs {
			c := j.request(set, s)
			if len(c.prompt) == 0 || c.reply <= 0 || (c.schema == nil) != (c.prose != nil) {
				t.Errorf("%s of %s is not a whole request", j.name, s.Name)
			}
			for _, file := range j.files {
				if set.Text(file) == "" {
					t.Errorf("%s: there is no prompt file %q", j.name, file)
				}
			}
			for _, m := range c.prompt {
				if macro.MatchString(m.Content) {
					t.Errorf("%s of %s has a macro left: %q", j.name, s.Name, macro.FindString(m.Content))
				}
			}
		}
	}
}

// macro is what a prompt must not have left; entries of lorebooks have {{user}} themselves.
var macro = regexp.MustCompile(`\{\{(?:[^u}][^}]*|u[^s}][^}]*)\}\}`)

// limited is a context that ends with the patience for one request, if there is a bound.
func limited(ctx context.Context, requests int) (context.Context, context.CancelFunc) {
	if *patience <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Duration(requests)**patience)
}
