package formats

import (
	"testing"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Values of a World Info entry that no editor writes, and what SillyTavern's scan
// (public/scripts/world-info.js, as of 2026) makes of them, which reads the file as
// it is: numbers are taken as JavaScript takes them, a position that there is none
// of triggers and stands nowhere, what is no list is no filter, and a flag counts as a
// condition takes it ("false", "0" and [] are yes), but for disable, which is compared
// with true.
//
// Not followed, because a book's author cannot have meant it: a position or logic
// written as a text counts as its number (there it is none), and keys in one text are
// its parts (there they are no keys).
func TestReadBook_OddValues(t *testing.T) {
	for _, c := range []struct {
		member string
		ok     func(e *storage.LoreEntry) bool
	}{
		{`"order":null`, func(e *storage.LoreEntry) bool { return e.Order == 0 }},
		{`"order":true`, func(e *storage.LoreEntry) bool { return e.Order == 1 }},
		{`"order":"50"`, func(e *storage.LoreEntry) bool { return e.Order == 50 }},
		{`"order":-7`, func(e *storage.LoreEntry) bool { return e.Order == -7 }},
		{`"position":null,"outletName":"x"`, nowhere},
		{`"outletName":"x","position":9`, nowhere},
		{`"position":-1`, nowhere},
		{`"position":true`, nowhere},
		{`"position":7,"outletName":"x"`, func(e *storage.LoreEntry) bool { return e.Position == storage.Outlet && e.Outlet == "x" }},
		{`"position":"4"`, func(e *storage.LoreEntry) bool { return e.Position == storage.AtDepth }},
		{`"probability":null`, func(e *storage.LoreEntry) bool { return e.Probability == 0 && e.UseProbability }},
		{`"probability":"50"`, func(e *storage.LoreEntry) bool { return e.Probability == 50 }},
		{`"probability":true`, func(e *storage.LoreEntry) bool { return e.Probability == 1 }},
		{`"probability":-5`, func(e *storage.LoreEntry) bool { return e.Probability == 0 }},
		{`"probability":150`, func(e *storage.LoreEntry) bool { return e.Probability == 100 }},
		{`"useProbability":null`, func(e *storage.LoreEntry) bool { return !e.UseProbability }},
		{`"selective":null`, func(e *storage.LoreEntry) bool { return !e.Selective }},
		{`"constant":1`, func(e *storage.LoreEntry) bool { return e.Constant }},
		{`"constant":2`, func(e *storage.LoreEntry) bool { return e.Constant }},
		{`"preventRecursion":"yes"`, func(e *storage.LoreEntry) bool { return e.PreventRecursion }},
		{`"constant":"false"`, func(e *storage.LoreEntry) bool { return e.Constant }},
		{`"constant":"0"`, func(e *storage.LoreEntry) bool { return e.Constant }},
		{`"constant":[]`, func(e *storage.LoreEntry) bool { return e.Constant }},
		{`"constant":{}`, func(e *storage.LoreEntry) bool { return e.Constant }},
		{`"constant":""`, func(e *storage.LoreEntry) bool { return !e.Constant }},
		{`"constant":0.0`, func(e *storage.LoreEntry) bool { return !e.Constant }},
		{`"constant":-1`, func(e *storage.LoreEntry) bool { return e.Constant }},
		{`"excludeRecursion":"true"`, func(e *storage.LoreEntry) bool { return e.ExcludeRecursion }},
		{`"disable":1`, func(e *storage.LoreEntry) bool { return e.Disabled }},
		{`"disable":"1"`, func(e *storage.LoreEntry) bool { return e.Disabled }},
		{`"disable":2`, func(e *storage.LoreEntry) bool { return !e.Disabled }},
		{`"disable":"true"`, func(e *storage.LoreEntry) bool { return !e.Disabled }},
		{`"disable":"false"`, func(e *storage.LoreEntry) bool { return !e.Disabled }},
		{`"disable":[]`, func(e *storage.LoreEntry) bool { return !e.Disabled }},
		{`"disable":null`, func(e *storage.LoreEntry) bool { return !e.Disabled }},
		{`"caseSensitive":"false"`, func(e *storage.LoreEntry) bool { return e.CaseSensitive != nil && *e.CaseSensitive }},
		{`"caseSensitive":0`, func(e *storage.LoreEntry) bool { return e.CaseSensitive != nil && !*e.CaseSensitive }},
		{`"matchWholeWords":[]`, func(e *storage.LoreEntry) bool { return e.WholeWords != nil && *e.WholeWords }},
		{`"characterFilter":{"isExclude":"false","names":["a"]}`, func(e *storage.LoreEntry) bool { return e.Characters != nil && e.Characters.Exclude }},
		{`"delayUntilRecursion":"false"`, func(e *storage.LoreEntry) bool { return e.DelayUntilRecursion == 1 }},
		{`"delayUntilRecursion":"0"`, func(e *storage.LoreEntry) bool { return e.DelayUntilRecursion == 1 }},
		{`"delayUntilRecursion":[]`, func(e *storage.LoreEntry) bool { return e.DelayUntilRecursion == 1 }},
		{`"scanDepth":-2`, func(e *storage.LoreEntry) bool { return e.ScanDepth != nil && *e.ScanDepth == -2 }},
		{`"scanDepth":true`, func(e *storage.LoreEntry) bool { return e.ScanDepth != nil && *e.ScanDepth == 1 }},
		{`"scanDepth":"1"`, func(e *storage.LoreEntry) bool { return e.ScanDepth != nil && *e.ScanDepth == 1 }},
		{`"scanDepth":"far"`, func(e *storage.LoreEntry) bool { return e.ScanDepth != nil && *e.ScanDepth == 0 }},
		{`"scanDepth":null`, func(e *storage.LoreEntry) bool { return e.ScanDepth == nil }},
		{`"delayUntilRecursion":"2"`, func(e *storage.LoreEntry) bool { return e.DelayUntilRecursion == 2 }},
		{`"delayUntilRecursion":true`, func(e *storage.LoreEntry) bool { return e.DelayUntilRecursion == 1 }},
		{`"delayUntilRecursion":-1`, func(e *storage.LoreEntry) bool { return e.DelayUntilRecursion == 1 }},
		{`"delayUntilRecursion":null`, func(e *storage.LoreEntry) bool { return e.DelayUntilRecursion == 0 }},
		{`"delay":"2"`, func(e *storage.LoreEntry) bool { return e.Delay == 2 }},
		{`"delay":true`, func(e *storage.LoreEntry) bool { return e.Delay == 1 }},
		{`"delay":-2`, func(e *storage.LoreEntry) bool { return e.Delay == 0 }},
		{`"groupWeight":null`, func(e *storage.LoreEntry) bool { return e.GroupWeight == 100 }},
		{`"triggers":"swipe"`, func(e *storage.LoreEntry) bool { return e.Triggers == nil }},
		{`"keysecondary":[""," "]`, func(e *storage.LoreEntry) bool { return len(e.SecondaryKeys) == 2 }},
		{`"key":"a, b"`, func(e *storage.LoreEntry) bool { return len(e.Keys) == 2 }},
	} {
		in := mustBook(t, "odd.json", []byte(`{"entries":{"0":{"uid":0,"comment":"a",`+c.member+`}}}`))
		if e := &in.Entries[0]; !c.ok(e) {
			t.Errorf("%s is read as %+v", c.member, *e)
		}
		checkBook(t, in)
	}
}

func nowhere(e *storage.LoreEntry) bool { return e.Position == storage.Outlet && e.Outlet == "" }
