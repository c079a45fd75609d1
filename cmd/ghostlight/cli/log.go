package cli

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// logLimit is the size in bytes from which the log is rotated at the next start.
const logLimit = 5 << 20

// logParts are the parts of the program that --debug can name: its packages.
var logParts = []string{"all", "capture", "cmd", "comfy", "demo", "engine", "formats", "ollama", "prompt", "prompts",
	"queue", "storage", "tui"}

func debugParts(list []string) (map[string]bool, error) {
	parts := map[string]bool{}
	for _, p := range list {
		if p = strings.TrimSpace(p); !slices.Contains(logParts, p) {
			return nil, UsageError(fmt.Sprintf("--debug: unknown part %q; use %s", p,
				strings.Join(logParts, ", ")))
		}
		parts[p] = true
	}
	return parts, nil
}

// openLog opens the log file for appending, and puts a large one aside first.
func openLog(path string, parts map[string]bool) (*slog.Logger, func(), error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, nil, err
	}
	if info, err := os.Stat(path); err == nil && info.Size() > logLimit {
		if err := os.Rename(path, path+".1"); err != nil {
			return nil, nil, err
		}
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, nil, err
	}
	h := partHandler{slog.NewTextHandler(f, &slog.HandlerOptions{Level: slog.LevelDebug}), parts}
	return slog.New(h).With("pid", os.Getpid()), func() { _ = f.Close() }, nil
}

// partHandler drops debug records, except those of the requested parts. A record's part is the
// package that wrote it.
type partHandler struct {
	slog.Handler
	parts map[string]bool
}

func (h partHandler) Enabled(_ context.Context, l slog.Level) bool {
	return l >= slog.LevelInfo || len(h.parts) > 0
}

func (h partHandler) Handle(ctx context.Context, r slog.Record) error {
	part := partOf(r.PC)
	if r.Level < slog.LevelInfo && !h.parts["all"] && !h.parts[part] {
		return nil
	}
	r.AddAttrs(slog.String("part", part))
	return h.Handler.Handle(ctx, r)
}

func (h partHandler) WithAttrs(as []slog.Attr) slog.Handler {
	return partHandler{h.Handler.WithAttrs(as), h.parts}
}

func (h partHandler) WithGroup(name string) slog.Handler {
	return partHandler{h.Handler.WithGroup(name), h.parts}
}

// module is the prefix of the names of this module's functions.
const module = "github.com/ghostlight-theatre/ghostlight/"

// partOf returns the part of the program that a program counter is in: its package, or its layer if
// --debug has no part for the package.
func partOf(pc uintptr) string {
	if pc == 0 {
		return ""
	}
	frame, _ := runtime.CallersFrames([]uintptr{pc}).Next()
	f := frame.Function
	name := f[strings.LastIndexByte(f, '/')+1:]
	name, _, _ = strings.Cut(name, ".")
	switch {
	case strings.HasPrefix(f, "main."), strings.HasPrefix(f, module+"cmd/ghostlight"):
		return "cmd"
	case strings.HasPrefix(f, module+"tui/"):
		return "tui"
	case strings.HasPrefix(f, module+"engine/") && !slices.Contains(logParts, name):
		return "engine"
	}
	return name
}
