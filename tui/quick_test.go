package tui

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ghostlight/engine/rehearsal"
)

var someQuick = []QuickReply{
	{Label: "Look around", Text: "I look around.", Key: "alt+1"},
	{Text: "*I wait, and say nothing at all for a good while.*"},
	{Label: "Aside", Text: "((a word of mine)) ", Key: "f12", Do: QuickInsert},
	{Label: "Slower", Text: "take more time for this scene", Key: "alt+3", Do: QuickNudge},
}

func TestCheckQuickReplies(t *testing.T) {
	if faults := CheckQuickReplies(someQuick, nil); len(faults) > 0 {
		t.Fatal(faults)
	}
	many := slices.Repeat([]QuickReply{{Text: "x"}}, MostQuickReplies+5)
	for name, c := range map[string]struct {
		list    []QuickReply
		changes map[string][]string
		want    []string // where, and a part of the words
	}{
		"empty":          {[]QuickReply{{Label: "x", Text: " \n"}}, nil, []string{"1, text: it is empty"}},
		"long":           {[]QuickReply{{Text: strings.Repeat("x", 20<<10)}, {Text: "x", Label: strings.Repeat("x", 300)}}, nil, []string{"1, text: it may", "2, label: it may"}},
		"what to do":     {[]QuickReply{{Text: "x", Do: "shout"}}, nil, []string{`1, do: it is send, insert or nudge, not "shout"`}},
		"taken":          {[]QuickReply{{Text: "x"}, {Text: "y", Key: "ctrl+g"}}, nil, []string{`2, key: "ctrl+g" already means capture`}},
		"taken by user":  {[]QuickReply{{Text: "x", Key: "alt+1"}}, map[string][]string{"capture": {"alt+1"}}, []string{`1, key: "alt+1" already means capture`}},
		"given free":     {[]QuickReply{{Text: "x", Key: "ctrl+g"}}, map[string][]string{"capture": {"f12"}}, nil},
		"twice":          {[]QuickReply{{Text: "x", Key: "alt+1"}, {Text: "y", Key: "alt+1"}}, nil, []string{`2, key: "alt+1" is that of quick reply 1`}},
		"text":           {[]QuickReply{{Text: "x", Key: "q"}}, nil, []string{"1, key: \"q\" is text"}},
		"no key":         {[]QuickReply{{Text: "x", Key: "hyper+q"}}, nil, []string{"1, key: there is no key"}},
		"too many":       {many, nil, []string{"101, text: there may be 100"}},
		"several faults": {[]QuickReply{{Key: "enter", Do: "x"}}, nil, []string{"1, text", "1, do", "1, key"}},
	} {
		got := CheckQuickReplies(c.list, c.changes)
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
	s := begin(t, stageOptions{prepare: withChat(t), screen: Options{QuickReplies: someQuick}})
	s.see("‹1/3›").press("alt+q").see("Quick replies", "Look around").golden("quick")
	s.press("down", "enter").notSee("Quick replies")
	s.replied(3, 1).press("alt+q").see("Quick replies").press("ctrl+e").notSee("Quick replies").see("› I look around.")
	if diff := cmp.Diff(someQuick[1].Text, s.texts()[1]); diff != "" {
		t.Error(diff)
	}
}

func TestQuick_KeysActAtOnce(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t), screen: Options{QuickReplies: someQuick}, house: rehearsal.Options{Record: true}})
	s.see("‹1/3›").typeText("half a line").press("alt+1")
	s.replied(3, 1).see("I look around.", "› half a line")
	s.until("the draft to be stored again", func() bool { return s.chat().Draft == "half a line" })
	s.press("f12").see("› half a line((a word of mine))")
	s.press("alt+3").replied(3, 2)
	calls := s.house.Calls()
	if !slices.ContainsFunc(calls, func(c rehearsal.Call) bool { return strings.Contains(string(c.Body), someQuick[3].Text) }) {
		t.Error("the model was not told the nudge")
	}
	s.press("esc").see("BROWSE").press("alt+1") // keys of quick replies are for writing
	if n := len(s.texts()); n != 3 {
		t.Errorf("%d messages", n)
	}
}

func TestQuick_ClashesAreTold(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t), screen: Options{QuickReplies: []QuickReply{{Label: "Stop", Text: "Stop!", Key: "ctrl+g"}}}})
	s.see(`"ctrl+g" already means capture`).press("alt+q").see("Stop!").notSee("Stop!  ^G")
}

func TestQuick_None(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t)})
	s.see("‹1/3›").press("alt+q").see("There are none yet").golden("quick-none", dims{40, 12}, dims{80, 24})
}
