package pictures_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// A server that requires a token is passed over for the next. Where all want one, or the other
// lacks something, each is named with what is wrong with it.
func TestPainters_OneThatWantsAToken(t *testing.T) {
	t.Parallel()
	locked := func(o demo.ComfyOptions) string {
		o.StepDelay, o.Token = -1, "s3cret-of-mine"
		f := demo.NewComfy(o)
		web := httptest.NewServer(f)
		t.Cleanup(func() { enginetest.Must(t, f.Close()); web.Close() })
		return web.URL
	}
	first, second := locked(demo.ComfyOptions{}), locked(demo.ComfyOptions{})
	s := (&harness{enginetest.NewStudio(t, func(o *enginetest.Setup) { o.Cfg.VRAM.KeepOllama, o.Cfg.ConfigDir = true, t.TempDir() })})
	good := s.Servers.ComfyURL
	s.workflow("plain", enginetest.Checkpoint(enginetest.Paintable))
	s.workflow("odd", enginetest.Checkpoint("nobody-has-this.safetensors"))
	c := s.Drafted(pictures.CaptureRequest{})
	for _, tt := range []struct {
		servers  []string
		workflow string
		words    []string // nil if it is painted
	}{
		{[]string{first, good}, "plain", nil},
		{[]string{good, first}, "plain", nil},
		{[]string{first, nowhere}, "plain", []string{nowhere[7:], "waits"}},
		{[]string{first}, "plain", []string{"requires a token", "comfyui.headers"}},
		{[]string{first, second}, "plain", []string{first, second, "requires a token"}},
		{[]string{first, good}, "odd", []string{first[7:], good, "requires a token", "nobody-has-this.safetensors"}},
	} {
		s.Shut()
		s.Cfg.Comfy = tt.servers
		s.Open()
		enginetest.Must(t, s.Start())
		edit := enginetest.Small(c)
		edit.Workflow = tt.workflow
		status := storage.CaptureFailed
		switch {
		case tt.words == nil:
			status = storage.CaptureCompleted
		case tt.servers[len(tt.servers)-1] == nowhere:
			status = storage.CaptureDraft
		}
		got := s.SettledAs(s.Send(c, edit).ID, status)
		if tt.words == nil && got.Server != good {
			t.Errorf("%v: painted at %s", tt.servers, got.Server)
		}
		for _, want := range tt.words {
			if !strings.Contains(got.Error, want) {
				t.Errorf("%v, %s: %q is not in: %s", tt.servers, tt.workflow, want, got.Error)
			}
		}
		if strings.Contains(got.Error, "s3cret") {
			t.Errorf("the token is told: %s", got.Error)
		}
		c = got
	}
}
