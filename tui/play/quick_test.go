package play_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/play"
)

var someQuick = []play.QuickReply{
	{Label: "Look around", Text: "I look around.", Key: "alt+1"},
	{Text: "*I wait, and say nothing at all for a good while.*"},
	{Label: "Aside", Text: "((a word of mine)) ", Key: "f12", Do: play.QuickInsert},
	{Label: "Slower", Text: "take more time for this scene", Key: "alt+3", Do: play.QuickNudge},
}

func TestCheckQuickReplies(t *testing.T) {
	if faults := tui.CheckQuickReplies(someQuick, nil); len(faults) > 0 {
		t.Fatal(faults)
	}
	many := slices.Repeat([]play.QuickReply{{Text: "x"}}, play.MaxQuickReplies+5)
	for name, c := range map[string]struct {
		list    []play.QuickReply
		changes map[string][]string
		want    []string // where, and a part of the words
	}{
		"empty": {[]play.QuickReply{{Label: "x", Text: " \n"}}, nil, []string{"1, text: it is empty"}},
		"long": {[]play.QuickReply{{Text: strings.Repeat("x", 20<<10)},
			{Text: "x", Label: strings.Repeat("x", 300)}}, nil,
			[]string{"1, text: the limit is", "2, label: the limit is"}},
		"what to do": {[]play.QuickReply{{Text: "x", Do: "shout"}}, nil,
			[]string{`1, do: must be send, insert or nudge, not "shout"`}},
		"taken": {[]play.QuickReply{{Text: "x"}, {Text: "y", Key: "ctrl+g"}}, nil,
			[]string{`2, key: "ctrl+g" already means capture`}},
		"taken by user": {[]play.QuickReply{{Text: "x", Key: "alt+1"}}, map[string][]string{"capture": {"alt+1"}},
			[]string{`1, key: "alt+1" already means capture`}},
		"given free": {[]play.QuickReply{{Text: "x", Key: "ctrl+g"}}, map[string][]string{"capture": {"f12"}}, nil},
		"twice": {[]play.QuickReply{{Text: "x", Key: "alt+1"}, {Text: "y", Key: "alt+1"}}, nil,
			[]string{`2, key: "alt+1" is already used by quick reply 1`}},
		"text":           {[]play.QuickReply{{Text: "x", Key: "q"}}, nil, []string{"1, key: \"q\" is text"}},
		"no key":         {[]play.QuickReply{{Text: "x", Key: "hyper+q"}}, nil, []string{"1, key: there is no key"}},
		"too many":       {many, nil, []string{"101, text: at most 100"}},
		"several faults": {[]play.QuickReply{{Key: "enter", Do: "x"}}, nil, []string{"1, text", "1, do", "1, key"}},
	} {
		got := tui.CheckQuickReplies(c.list, c.changes)
		if len(got) != len(c.want) {
			t.Errorf("%s: %v", name, got)
			continue
		}
		for i, f := range got {
			if !strings.HasPrefix(f.Error(), "quick_replies "+c.want[i]) {
				t.Errorf("%s: %q, not %q", name, f.Error(), c.want[i])
			}
		}
	}
}

func TestQuick_Menu(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t), Screen: tui.Options{QuickReplies: someQuick}})
	s.See("‹1/3›").Press("alt+q").See("Quick replies", "Look around").Golden("quick")
	s.Press("down", "enter").NotSee("Quick replies")
	s.replied(3, 1).Press("alt+q").See("Quick replies").Press("ctrl+e").NotSee("Quick replies").See("› I look around.")
	if diff := cmp.Diff(someQuick[1].Text, s.Texts()[1]); diff != "" {
		t.Error(diff)
	}
}

func TestQuick_KeysActAtOnce(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t), Screen: tui.Options{QuickReplies: someQuick},
		Servers: demo.Options{Record: true}})
	s.See("‹1/3›").TypeText("half a line").Press("alt+1")
	s.replied(3, 1).See("I look around.", "› half a line")
	s.Until("the draft to be stored again", func() bool { return s.Chat().Draft == "half a line" })
	s.Press("f12").See("› half a line((a word of mine))")
	s.Press("alt+3")
	s.replied(3, 2)
	calls := s.Servers().Calls()
	if !slices.ContainsFunc(calls, func(c demo.Call) bool {
		return strings.Contains(string(c.Body), someQuick[3].Text)
	}) {
		t.Error("the model was not told the nudge")
	}
	s.Press("esc").See("BROWSE").Press("alt+1") // keys of quick replies are for writing
	if n := len(s.Texts()); n != 3 {
		t.Errorf("%d messages", n)
	}
}

func TestQuick_ClashesAreTold(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t),
		Screen: tui.Options{QuickReplies: []play.QuickReply{{Label: "Stop", Text: "Stop!", Key: "ctrl+g"}}}})
	s.See(`"ctrl+g" already means capture`).Press("alt+q").See("Stop!").NotSee("Stop!  ^G")
}

func TestQuick_None(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").Press("alt+q").See("No quick replies yet").Golden("quick-none", tuitest.Size{W: 40, H: 12},
		tuitest.Size{W: 80, H: 24})
}
