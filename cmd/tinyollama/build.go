package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"

	"golang.org/x/sys/cpu"
)

const ollamaModule = "github.com/ollama/ollama"

// The zip of a Go module leaves out every folder called vendor, and Ollama keeps
// three headers of its C++ part in one. Other modules carry the same headers
// elsewhere.
const (
	headersOllama = ollamaModule + "@v0.6.5"
	audio         = "github.com/gen2brain/malgo@v0.11.24"
)

// header is the source of a missing header: a file of a module, or a text.
type header struct{ path, module, file, text string }

var headers = []header{
	{path: "nlohmann/json.hpp", module: headersOllama, file: "llama/llama.cpp/common/json.hpp"},
	{path: "nlohmann/json_fwd.hpp", text: "#pragma once\n#include \"json.hpp\"\n"},
	{path: "stb/stb_image.h", module: headersOllama, file: "llama/llama.cpp/common/stb_image.h"},
	{path: "miniaudio/miniaudio.h", module: audio, file: "miniaudio.h"},
}

// ollamaVersion returns the version of Ollama in this module, so that the server matches the
// client library.
func ollamaVersion() (string, error) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "", errors.New("this binary does not know what it is made of")
	}
	for _, m := range info.Deps {
		if m.Path == ollamaModule {
			return m.Version, nil
		}
	}
	return "", errors.New(ollamaModule + " is not part of this binary")
}

// build returns the path of the server's binary in the cache folder, and builds it if it is
// missing. A failed build leaves no binary.
func build(ctx context.Context, cache string) (string, error) {
	version, err := ollamaVersion()
	if err != nil {
		return "", err
	}
	cache, err = filepath.Abs(cache)
	if err != nil {
		return "", err
	}
	name, fast := vectorFlags()
	bin := filepath.Join(cache, version+name, "ollama")
	if _, err := os.Stat(bin); err == nil {
		return bin, nil
	}
	if err := os.MkdirAll(filepath.Dir(bin), 0o755); err != nil {
		return "", err
	}
	work, err := os.MkdirTemp(cache, "build-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(work) }()
	fmt.Fprintln(os.Stderr, "tinyollama: building Ollama", version, "once; this takes some minutes")
	include := filepath.Join(cache, "include") // of one name, so that a build that was cut off goes on
	for _, h := range headers {
		if err := h.supply(ctx, work, include); err != nil {
			return "", err
		}
	}
	if err := install(ctx, work, include, version, fast); err != nil {
		return "", err
	}
	// Moved in one step, so that two concurrent builds do no harm.
	return bin, os.Rename(filepath.Join(work, "ollama"), bin)
}

// supply writes a header to the include folder.
func (h header) supply(ctx context.Context, work, include string) error {
	content := []byte(h.text)
	if h.module != "" {
		dir, err := download(ctx, work, h.module)
		if err != nil {
			return err
		}
		if content, err = os.ReadFile(filepath.Join(dir, filepath.FromSlash(h.file))); err != nil {
			return err
		}
	}
	dst := filepath.Join(include, filepath.FromSlash(h.path))
	if err := os.MkdirAll(filepath.Dir(dst), 0o755); err != nil {
		return err
	}
	return os.WriteFile(dst, content, 0o644)
}

// download downloads a module with the go command and returns its folder.
func download(ctx context.Context, work, module string) (string, error) {
	c := exec.CommandContext(ctx, "go", "mod", "download", "-json", module)
	c.Dir = work // outside every module
	out, err := c.Output()
	var got struct{ Dir, Error string }
	if jsonErr := json.Unmarshal(out, &got); jsonErr == nil && got.Error != "" {
		return "", fmt.Errorf("download %s: %s", module, got.Error)
	}
	if err != nil {
		return "", fmt.Errorf("download %s: %w", module, err)
	}
	return got.Dir, nil
}

// vectorFlags returns the suffix of the build's folder name and the compiler's flags for the vector
// instructions of this processor, both "" if it has none. The suffix keeps servers with and without
// them apart. A trained model answers several times as fast with them.
func vectorFlags() (name, flags string) {
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		return "-avx2", " -mavx2 -mfma -mf16c"
	}
	return "", ""
}

// install compiles the server into work. Low optimisation is enough for models this small and
// halves the time.
func install(ctx context.Context, work, include, version, flags string) error {
	c := exec.CommandContext(ctx, "go", "install",
		"-ldflags=-s -w -X="+ollamaModule+"/version.Version="+strings.TrimPrefix(version, "v"),
		ollamaModule+"@"+version)
	c.Dir = work
	c.Env = append(os.Environ(), "GOBIN="+work, "GOWORK=off", "GOFLAGS=", "CGO_ENABLED=1",
		"CGO_CPPFLAGS=-I"+include, "CGO_CFLAGS=-O1 -g0"+flags, "CGO_CXXFLAGS=-O1 -g0"+flags)
	c.Stdout, c.Stderr = os.Stderr, os.Stderr
	if err := c.Run(); err != nil {
		return fmt.Errorf("build Ollama %s: %w", version, err)
	}
	return nil
}
