package memory

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

func TestMemory_Order(t *testing.T) {
	list := SomeMemories()
	memories.sort(list)
	var got []string
	for i := range list {
		got = append(got, memories.key(&list[i]))
	}
	want := []string{"m2", "m4", "m8", "m9", "m1", "m3", "m5", "m6", "m7"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("memories (-want +got):\n%s", diff)
	}
	due := SomeHooks()
	hooks.sort(due)
	got = nil
	for i := range due {
		got = append(got, hooks.key(&due[i]))
	}
	if diff := cmp.Diff([]string{"h2", "h3", "h1", "h5", "h4", "h6", "h7"}, got); diff != "" {
		t.Errorf("hooks (-want +got):\n%s", diff)
	}
	open := SomeThreads()
	threads.sort(open)
	got = nil
	for i := range open {
		got = append(got, threads.key(&open[i]))
	}
	if diff := cmp.Diff([]string{"a", "b", "d", "e", "c", "f"}, got); diff != "" {
		t.Errorf("threads (-want +got):\n%s", diff)
	}
}

// Every type and state has its heading and its sign.
func TestMemory_Words(t *testing.T) {
	if len(memoryHeads) != len(storage.MemoryTypes)+1 || len(hookHeads) != len(hookStates)+1 {
		t.Fatal("a heading is missing")
	}
	for mark, m := range map[string]memory.MemoryView{
		"●": {StatusView: memory.StatusView{Holds: true, InPrompt: true}}, "○": {StatusView: memory.StatusView{Holds: true}}, "·": {StatusView: memory.StatusView{InPrompt: true}},
		"–": {StatusView: memory.StatusView{Holds: true}, Memory: storage.Memory{Muted: true}},
		"✗": {StatusView: memory.StatusView{Holds: true}, Memory: storage.Memory{Removed: true, Muted: true}},
	} {
		if got := memoryMark(&m); got != mark {
			t.Errorf("%+v has %q, not %q", m, got, mark)
		}
	}
	for words, x := range map[string]float64{".85": 0.85, "1.00": 1, ".00": -3, ".50": 0.5} {
		if got := importance(x); got != words {
			t.Errorf("%v reads %q", x, got)
		}
	}
}
