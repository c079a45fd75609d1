package tui_test

import (
	"testing"

	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
)

func TestGuide_FromTheHelp(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›")
	s.Press("f1").See("Keys while writing", "tab all keys").Press("tab").See("All keys", "tab guide").Press("tab").See("Guide", "Memory", "enter read")
	s.TypeText("lorebooks").Press("enter").See("Lorebooks", "tab pages").Press("tab").See("type to filter").Press("esc").NotSee("type to filter")
}
