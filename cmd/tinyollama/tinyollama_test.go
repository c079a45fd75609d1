package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestMain lets the test binary play the command that a server runs.
func TestMain(m *testing.M) {
	if os.Getenv("GHOSTLIGHT_TEST_OLLAMA") == "http://played" {
		if os.Getenv("GHOSTLIGHT_TEST_MODEL") == plainModel && os.Getenv("GHOSTLIGHT_TEST_THINK_MODEL") == thinkModel &&
			os.Getenv("GHOSTLIGHT_TEST_TOOLS_MODEL") == toolsModel && os.Getenv("GHOSTLIGHT_TEST_SMALL_MODEL") == "trained" {
			os.Exit(len(os.Args)) // the name and one for each argument
		}
		os.Exit(99)
	}
	os.Exit(m.Run())
}

func TestRunCommand(t *testing.T) {
	for _, args := range [][]string{{"a"}, {"a", "b"}} {
		status, err := (&server{url: "http://played", small: "trained"}).run(context.Background(), append([]string{os.Args[0]}, args...))
		if err != nil || status != 1+len(args) {
			t.Errorf("%d arguments: status %d, %v", len(args), status, err)
		}
	}
	if _, err := new(server).run(context.Background(), []string{t.TempDir() + "/none"}); err == nil {
		t.Error("a command that is not there ran")
	}
}

func TestParse(t *testing.T) {
	set, err := parse([]string{"-ollama", "/bin/x", "-env", "A=1", "-env", "B=2", "-gguf", "f.gguf", "--", "go", "test", "-v"})
	if err != nil || set.ollama != "/bin/x" || set.gguf != "f.gguf" || set.name != "small" || strings.Join(set.env, " ") != "A=1 B=2" || strings.Join(set.command, " ") != "go test -v" {
		t.Errorf("%v, %+v", err, set)
	}
	if _, err := parse([]string{"-nonsense"}); err == nil {
		t.Error("accepted a flag that does not exist")
	}
	if _, err := parse([]string{"-gguf", "f.gguf", "-name", ""}); err == nil {
		t.Error("accepted a model without a name")
	}
}

func TestTinyGGUF(t *testing.T) {
	for _, thinks := range []bool{false, true} {
		b := tinyGGUF(thinks)
		if !bytes.Equal(b, tinyGGUF(thinks)) {
			t.Error("two files differ")
		}
		if string(b[:4]) != "GGUF" || binary.LittleEndian.Uint32(b[4:]) != 3 || len(b)%alignment != 0 {
			t.Errorf("begins with % x, %d bytes", b[:8], len(b))
		}
		if n := binary.LittleEndian.Uint64(b[8:]); n != 3+9*layers {
			t.Errorf("%d tensors", n)
		}
		if bytes.Contains(b, []byte("</think>")) != thinks {
			t.Error("thinking is not as asked")
		}
	}
}

// A word that the model writes is read as the one token that it wrote, or a server would
// read all of a reply again that it is to go on with.
func TestVocabulary_ReadsWhatItWrites(t *testing.T) {
	v := newVocabulary(false)
	rank := map[string]int{}
	for i, m := range v.merges {
		rank[m] = i
	}
	space := string(byteAlphabet()[' '])
	for word := range strings.FieldsSeq(lexicon) {
		parts := strings.Split(space+word, "")
		for {
			best, at := len(v.merges), -1
			for i := range parts[1:] {
				if r, ok := rank[parts[i]+" "+parts[i+1]]; ok && r < best {
					best, at = r, i
				}
			}
			if at < 0 {
				break
			}
			parts = slices.Replace(parts, at, at+2, parts[at]+parts[at+1])
		}
		if len(parts) != 1 {
			t.Errorf("%q is read as %q", word, parts)
		}
	}
}

// Every merge must join two tokens into a third, or the server refuses the file.
func TestVocabulary_Merges(t *testing.T) {
	v := newVocabulary(true)
	seen := map[string]bool{}
	for _, m := range v.merges {
		left, right, ok := strings.Cut(m, " ")
		_, hasLeft := v.index[left]
		_, hasRight := v.index[right]
		_, hasBoth := v.index[left+right]
		if !ok || !hasLeft || !hasRight || !hasBoth || seen[m] {
			t.Errorf("merge %q", m)
		}
		seen[m] = true
	}
	if len(v.tokens) < 500 || len(v.index) != len(v.tokens) {
		t.Errorf("%d tokens, %d of them different", len(v.tokens), len(v.index))
	}
}
