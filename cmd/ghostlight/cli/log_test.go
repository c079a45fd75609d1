package cli

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
)

// Debug records pass only for the parts that were asked for; others always.
func TestLog_Parts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "ghostlight.log")
	for _, parts := range []map[string]bool{{}, {"queue": true}, {"cmd": true}} {
		log, done, err := openLog(path, parts)
		if err != nil {
			t.Fatal(err)
		}
		log.Debug("whispered")
		log.Info("said")
		done()
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if w, s := strings.Count(string(data), "whispered"), strings.Count(string(data), "said"); w != 1 || s != 3 || !strings.Contains(string(data), "part=cmd") {
		t.Errorf("%d whispers and %d others:\n%s", w, s, data)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the log's mode is %v (%v)", info.Mode(), err)
	}
}

func TestLog_PutsALargeOneAside(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ghostlight.log")
	if err := os.WriteFile(path, make([]byte, logLimit+1), 0o600); err != nil {
		t.Fatal(err)
	}
	log, done, err := openLog(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	log.Info("fresh")
	done()
	small, err := os.Stat(path)
	large, err2 := os.Stat(path + ".1")
	if err != nil || err2 != nil || small.Size() > 1000 || large.Size() != logLimit+1 {
		t.Errorf("%v %v %v %v", small, large, err, err2)
	}
}

// Most packages of the engine are one part; its libraries are parts of their own.
func TestLog_PartOf(t *testing.T) {
	for want, f := range map[string]any{"engine": core.ContentHash, "ollama": ollama.New, "tui": safetext.Line, "cmd": debugParts} {
		if got := partOf(reflect.ValueOf(f).Pointer()); got != want {
			t.Errorf("a function of %s is said to be a part of %q", want, got)
		}
	}
}
