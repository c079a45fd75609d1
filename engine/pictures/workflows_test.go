package pictures_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/engine/comfy"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
)

const unclearFlow = `{"1":{"class_type":"PrimitiveStringMultiline","inputs":{"value":"a lamp"}},
"2":{"class_type":"EmptyImage","inputs":{"width":64,"height":64,"batch_size":1,"color":7}},
"3":{"class_type":"SaveImage","inputs":{"images":["2",0],"filename_prefix":"x"}}}`

func TestConfirmWorkflow_UntilTheFileChanges(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t, withWorkflows(t, map[string]string{"odd.json": unclearFlow, "broken.json": "{"}))})
	find := func() comfy.Workflow {
		t.Helper()
		list, faults := s.Pictures.Workflows.List()
		for _, w := range list {
			if w.Name == "odd" {
				return w
			}
		}
		t.Fatalf("it is not among %v, %v", list, faults)
		return comfy.Workflow{}
	}
	if w := find(); w.Check() == nil || w.Inspect().Summary != "links" {
		t.Errorf("nobody said what goes where, and it can be used: %+v", w.Inspect())
	}
	if _, err := pictures.Workflow(s.Pictures.Workflows, "odd", "image"); err == nil || !strings.Contains(failure.Text(err), "sampler") {
		t.Errorf("%v", err)
	}
	want := comfy.Map{"prompt": {{Node: "1", Input: "value"}}, "width": {{Node: "2", Input: "width"}}, "height": {{Node: "2", Input: "height"}}}
	enginetest.Must(t, s.Pictures.Workflows.Confirm("odd", want))
	s.Shut()
	s.Open()
	got, confirmed, err := s.Pictures.Workflows.Map("odd")
	if diff := cmp.Diff(want, got); diff != "" || !confirmed || err != nil {
		t.Errorf("%s %v %v", diff, confirmed, err)
	}
	if w, err := pictures.Workflow(s.Pictures.Workflows, "odd", "image"); err != nil || w.Inspect().Summary != "map" || w.Inspect().NeedsConfirm() {
		t.Errorf("%v %+v", err, w.Inspect())
	}
	for name, m := range map[string]comfy.Map{"odd": {"prompt": {{Node: "9", Input: "value"}}}, "none": want, "broken": want} {
		if err := s.Pictures.Workflows.Confirm(name, m); err == nil {
			t.Errorf("%s takes %v", name, m)
		}
	}
	path := filepath.Join(s.Cfg.ConfigDir, "workflows", "odd.json")
	enginetest.Must(t, os.WriteFile(path, []byte(strings.Replace(unclearFlow, "lamp", "door", 1)), 0o600))
	if _, confirmed, err := s.Pictures.Workflows.Map("odd"); confirmed || err != nil {
		t.Errorf("it counts for another file: %v", err)
	}
	enginetest.Must(t, os.WriteFile(path, []byte(unclearFlow), 0o600))
	if _, confirmed, err := s.Pictures.Workflows.Map("odd"); !confirmed || err != nil {
		t.Errorf("the file is back, the map is not: %v", err)
	}
	enginetest.Must(t, s.Pictures.Workflows.Confirm("odd", nil))
	enginetest.Must(t, s.Pictures.Workflows.Confirm("odd", nil))
	if _, confirmed, err := s.Pictures.Workflows.Map("odd"); confirmed || err != nil {
		t.Errorf("it is not forgotten: %v", err)
	}
	if _, _, err := s.Pictures.Workflows.Map("none"); err == nil {
		t.Error("a workflow that is not there has a map")
	}
}

func TestCheckWorkflow_AsksEveryServer(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t, withWorkflows(t, map[string]string{"mine.json": enginetest.Checkpoint("gone.safetensors")}))})
	away, err := comfy.New("http://127.0.0.1:1")
	enginetest.Must(t, err)
	defer away.Close()
	s.Models.Comfy = append(s.Models.Comfy, away)
	checks, err := s.Pictures.Workflows.Check(t.Context(), "mine")
	enginetest.Must(t, err)
	if len(checks) != 2 || checks[0].Server != s.Servers.ComfyURL || checks[1].Server != "http://127.0.0.1:1" {
		t.Fatalf("%+v", checks)
	}
	if words := checks[0].Message(); words != `this workflow needs the checkpoint "gone.safetensors" (node "My Loader") that your server lacks` {
		t.Error(words)
	}
	if checks[1].Missing != nil || !strings.Contains(checks[1].Message(), "Check that ComfyUI is running") {
		t.Errorf("%+v", checks[1])
	}
	checks, err = s.Pictures.Workflows.Check(t.Context(), "text-to-image")
	if err != nil || checks[0].Message() != "" {
		t.Errorf("%+v, %v", checks, err)
	}
	if _, err := s.Pictures.Workflows.Check(t.Context(), "none"); err == nil {
		t.Error("a workflow that is not there is checked")
	}
}
