package clipboard

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What says that a text was copied knows it; what does not know it says how the text went.
func TestCopy_SaysWhatIsKnown(t *testing.T) {
	t.Parallel()
	to := filepath.Join(t.TempDir(), "copied")
	works, fails := []string{"sh", "-c", "cat > '" + to + "'"}, []string{"false"}
	for _, c := range []struct {
		by   Clipboard
		want string
	}{
		{Clipboard{Programs: [][]string{works, fails}}, "recap copied"},
		{Clipboard{Programs: [][]string{fails, works}}, "recap copied"},
		{Clipboard{Programs: [][]string{fails, {"no such program"}}}, "recap sent to the terminal's clipboard"},
		{Clipboard{}, "recap sent to the terminal's clipboard"},
	} {
		_ = os.Remove(to)
		got := c.by.Copy(t.Context(), "an old\ntext").Message("recap")
		if text, _ := os.ReadFile(to); got != c.want || (string(text) == "an old\ntext") != (got == "recap copied") {
			t.Errorf("%+v: %s, and %q was copied", c.by, got, text)
		}
	}
	if got := Buffered.Message(""); got != "copied to tmux and its terminal" {
		t.Error(got)
	}
}

// A program that never ends is not waited for.
func TestCopy_Ends(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := (Clipboard{Programs: [][]string{{"sleep", "1000"}}}).Copy(ctx, "text"); got != Sent {
		t.Errorf("it is %v", got)
	}
}

// On another machine a clipboard of that machine is not the user's.
func TestFind(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		env, installed, programs []string
		says                     string
	}{
		{nil, nil, nil, "install wl-copy"},
		{nil, []string{"xclip", "pbcopy"}, []string{"pbcopy"}, "pbcopy, the terminal"},
		{[]string{"DISPLAY=:0"}, []string{"xclip", "xsel"}, []string{"xclip", "xsel"}, "xclip"},
		{[]string{"DISPLAY=:0", "WAYLAND_DISPLAY=0"}, []string{"xclip", "wl-copy"}, []string{"wl-copy", "xclip"}, "wl-copy"},
		{[]string{"SSH_TTY=/dev/pts/1"}, []string{"pbcopy", "xclip"}, nil, "your local terminal"},
		{[]string{"SSH_TTY=/dev/pts/1", "DISPLAY=:10"}, []string{"pbcopy", "xclip"}, []string{"xclip"}, "xclip"},
		{[]string{"SSH_CONNECTION=there", "TMUX=yes"}, []string{"pbcopy"}, nil, "set-clipboard"},
	} {
		got := Find(func(name string) string {
			for _, e := range c.env {
				if value, ok := strings.CutPrefix(e, name+"="); ok {
					return value
				}
			}
			return ""
		}, func(name string) (string, error) {
			if slices.Contains(c.installed, name) {
				return name, nil
			}
			return "", errors.New("not found")
		})
		var names []string
		for _, p := range got.Programs {
			names = append(names, p[0])
		}
		if !slices.Equal(names, c.programs) || !strings.Contains(got.Describe(), c.says) {
			t.Errorf("%v with %v installed: %v, %s", c.env, c.installed, names, got.Describe())
		}
	}
}
