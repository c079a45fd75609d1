package comfy

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
)

// library returns a server that describes the nodes of a captured one, and its client.
// asked counts requests; old servers describe all of them at once only.
func library(t *testing.T, old bool, asked *atomic.Int32) *Client {
	t.Helper()
	data, err := os.ReadFile("testdata/object_info_subset.json")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	m := http.NewServeMux()
	m.HandleFunc("GET /object_info", func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		_, _ = w.Write(data)
	})
	m.HandleFunc("GET /object_info/{class}", func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		class := r.PathValue("class")
		switch one, ok := all[class]; {
		case old:
			http.NotFound(w, r)
		case ok:
			_, _ = fmt.Fprintf(w, `{%q:%s}`, class, one)
		default:
			_, _ = fmt.Fprint(w, "{}")
		}
	})
	server := httptest.NewServer(m)
	t.Cleanup(server.Close)
	c, err := New(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

const needy = `{
"1":{"class_type":"CheckpointLoaderSimple","inputs":{"ckpt_name":"dream.safetensors"},"_meta":{"title":"The model"}},
"2":{"class_type":"Sharpen (by me) ?#%","inputs":{"text":"{{prompt}}"},"_meta":{"title":"Sharper"}},
"3":{"class_type":"KSampler","inputs":{"sampler_name":"made_up","scheduler":"normal","seed":1,"steps":"x"}},
"4":{"class_type":"Sharpen (by me) ?#%","inputs":{}},
"5":{"class_type":"SaveVideo","inputs":{"video":["4",0],"format":"mp4","codec":"vp8","filename_prefix":"x"}},
"6":{"class_type":"LoadImage","inputs":{"image":"example.png"}},
"7":{"class_type":"CheckpointLoaderSimple","inputs":{"ckpt_name":"%model%"}}}`

func TestLacks_OfACapturedServer(t *testing.T) {
	for _, old := range []bool{false, true} {
		var asked atomic.Int32
		got, err := library(t, old, &asked).Missing(t.Context(), read(t, needy))
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for _, l := range got {
			lines = append(lines, fmt.Sprintf("%s %s of %s, %d others", l.Kind, l.Name, l.Node, len(l.Have)))
		}
		want := []string{
			"ckpt_name dream.safetensors of The model, 0 others", "node Sharpen (by me) ?#% of Sharper, 0 others", "sampler_name made_up of 3, 12 others",
			"codec vp8 of 5, 2 others", "ckpt_name  of 7, 0 others",
		}
		if diff := cmp.Diff(want, lines); diff != "" {
			t.Errorf("old %v: %s", old, diff)
		}
		const words = `this workflow needs the checkpoint "dream.safetensors" (node "The model"), the node Sharpen (by me) ?#% (node "Sharper"), ` +
			`the sampler "made_up" (node 3), the codec "vp8" (node 5) and a checkpoint (node 7) that your server lacks`
		if got := MissingText(got); got != words {
			t.Errorf("%s", got)
		}
		if n := asked.Load(); !old && n != 5 || old && n != 2 {
			t.Errorf("old %v: %d requests", old, n)
		}
	}
}

func TestLacks_ManyClassesAreAskedForAtOnce(t *testing.T) {
	var asked atomic.Int32
	c := library(t, false, &asked)
	for _, graph := range []string{`{"1":{"class_type":"a/b"},"2":{"class_type":"SaveImage"}}`, `{"1":{"class_type":".."}}`} {
		asked.Store(0)
		if got, err := c.Missing(t.Context(), read(t, graph)); err != nil || len(got) != 1 || asked.Load() != 1 {
			t.Errorf("%v %v, %d requests", got, err, asked.Load())
		}
	}
	var b strings.Builder
	for n := range 200 {
		fmt.Fprintf(&b, `,"%d":{"class_type":"Lab%d"}`, n, n)
	}
	asked.Store(0)
	got, err := c.Missing(t.Context(), read(t, "{"+b.String()[1:]+"}"))
	if err != nil || len(got) != maxMissing || asked.Load() != 1 {
		t.Errorf("%d lacks, %v, %d requests", len(got), err, asked.Load())
	}
	if words := MissingText(got); !strings.HasSuffix(words, `and 94 more things that your server lacks`) {
		t.Error(words)
	}
	if MissingText(nil) != "" {
		t.Error("nothing has words")
	}
}

func TestLacks_OfBuiltinsAndFaults(t *testing.T) {
	f, c := startServer(t, flat())
	for _, name := range []string{"text-to-image", "quick-sketch", "text-to-video"} {
		if got, err := c.Missing(t.Context(), builtinNamed(t, name)); err != nil || len(got) > 0 {
			t.Errorf("%s: %v %v", name, got, err)
		}
	}
	_, poor := startServer(t, demo.ComfyOptions{StepDelay: -1, Checkpoints: []string{"sd15.safetensors"}})
	got, err := poor.Missing(t.Context(), builtinNamed(t, "text-to-video"))
	if err != nil || len(got) != 1 || !strings.Contains(MissingText(got), `a checkpoint with "ltx" in its name`) {
		t.Errorf("%v: %s", err, MissingText(got))
	}
	for _, tt := range []struct {
		fault demo.ComfyFault
		is    error
	}{{demo.ComfyGarbage, ErrNotComfy}, {demo.ComfyPage, ErrNotComfy}, {demo.ComfyEmpty, ErrNotComfy}, {demo.ComfyError, ErrUnreachable}, {demo.ComfyBreak, ErrUnreachable}} {
		f.SetFaults(demo.ComfyFaults{Script: func(place string, _ int) demo.ComfyFault { return tt.fault }})
		if _, err := c.Missing(t.Context(), builtinNamed(t, "text-to-image")); !errors.Is(err, tt.is) {
			t.Errorf("%s: %v", tt.fault, err)
		}
	}
	f.SetFaults(demo.ComfyFaults{Script: func(string, int) demo.ComfyFault { return demo.ComfyTypes }})
	if _, err := c.Missing(t.Context(), builtinNamed(t, "text-to-image")); err != nil {
		t.Errorf("odd descriptions: %v", err)
	}
}

func TestNearest(t *testing.T) {
	have := []string{"a.ckpt", `SDXL\dream.safetensors`, "b.ckpt", "other/DREAM_v2.safetensors"}
	if diff := cmp.Diff([]string{`SDXL\dream.safetensors`, "other/DREAM_v2.safetensors", "a.ckpt", "b.ckpt"}, nearest(have, "models/dream.ckpt")); diff != "" {
		t.Error(diff)
	}
}
