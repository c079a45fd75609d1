package formats

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// padded returns a chat's file that is too long to be held, by blank lines.
func padded(t *testing.T, data string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "long.jsonl")
	blank := strings.Repeat(" ", 8191) + "\n"
	if err := os.WriteFile(path, []byte(strings.TrimRight(data, "\n")+"\n"+strings.Repeat(blank, MaxChatInMemory>>13+1)), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A long file says the same as a short one: header, names, warnings, gist, messages.
func TestReadChatFile_Long(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "chats", "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	files = append(files, filepath.Join("testdata", "chat.jsonl"), filepath.Join("testdata", "scenes.jsonl"))
	odd := filepath.Join(t.TempDir(), "long.jsonl")
	if err := os.WriteFile(odd, []byte(`{"name":"","is_user":true,"mes":"a"}`+"\nnonsense\n"+`{"name":"B","mes":"b","send_date":"soon"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range append(files, odd) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		short, err := ReadChatFile(file)
		if err != nil {
			t.Fatal(err)
		}
		long, err := ReadChatFile(padded(t, string(data)))
		if err != nil {
			t.Fatal(err)
		}
		if long.Long == nil || len(long.Messages) > 0 {
			t.Fatalf("%s: its %d messages are held", file, len(long.Messages))
		}
		if diff := cmp.Diff(short.Summary(), long.Summary(), cmpopts.IgnoreUnexported(ChatSummary{})); diff != "" {
			t.Errorf("%s: %s", file, diff)
		}
		var messages []ChatMessage
		for m, err := range long.All() {
			if err != nil {
				t.Fatal(err)
			}
			messages = append(messages, *m)
		}
		if diff := cmp.Diff(short.Messages, messages); diff != "" {
			t.Errorf("%s: %s", file, diff)
		}
		short.Messages, long.Long = nil, nil
		if diff := cmp.Diff(short, long); diff != "" {
			t.Errorf("%s: %s", file, diff)
		}
	}
}

func TestEach_Long(t *testing.T) {
	t.Parallel()
	two := `{"name":"A","is_user":true,"mes":"a"}` + "\n" + `{"name":"B","mes":"b"}`
	path := padded(t, two)
	f, err := ReadChatFile(path)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, err := range f.All() {
		if err != nil {
			t.Fatal(err)
		}
		n++
		break
	}
	if n != 1 {
		t.Errorf("%d messages after the first was enough", n)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	last := func() (err error) {
		for _, err = range f.All() {
		}
		return err
	}
	if err := os.WriteFile(path, append(data, two...), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := last(); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "has changed") {
		t.Errorf("a file that has changed: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := last(); !errors.Is(err, ErrNotFile) {
		t.Errorf("a file that is gone: %v", err)
	}
	if _, err := ReadChatFile(padded(t, `{"user_name":"A","character_name":"B"}`)); !errors.Is(err, ErrNotChat) {
		t.Errorf("a long file without a message: %v", err)
	}
}
