package linter

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// lintEntry is an entry that nothing is wrong with, changed.
func lintEntry(name string, change ...func(*storage.LoreEntry)) storage.LoreEntry {
	e := storage.NewLoreEntry()
	e.ID, e.Name, e.Type = storage.EntryID("id-"+name), name, "character"
	e.Keys = []string{strings.ToLower(name)}
	e.Content = "[character-" + name + ": keeps bees at Linden Farm]"
	for _, c := range change {
		c(&e)
	}
	return e
}

// prose is an entry that does not have the program's form.
func prose(content string) func(*storage.LoreEntry) {
	return func(e *storage.LoreEntry) { e.Content = content }
}

func keyed(keys ...string) func(*storage.LoreEntry) {
	return func(e *storage.LoreEntry) { e.Keys = keys }
}

func constant(e *storage.LoreEntry) { e.Constant = true }

type edit = func(*storage.LoreEntry)

// chatter returns n messages; every each-th contains text.
func chatter(n, each int, text string) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("*Rain at window %d.* \"Who has the lantern?\"", i)
		if i%each == 0 {
			out[i] += " " + text
		}
	}
	return out
}

var lintTypes = []string{"character", "location", "item"}

type lintCase struct {
	entries []storage.LoreEntry
	texts   []string
	fired   map[storage.EntryID]int
	loose   bool // no whole words
	want    []string
}

var lintCases = map[string]lintCase{
	"nothing wrong": {entries: []storage.LoreEntry{lintEntry("Odile")}},
	"switched off":  {entries: []storage.LoreEntry{lintEntry("Odile", prose(""), keyed(), func(e *storage.LoreEntry) { e.Disabled = true })}},
	"removed":       {entries: []storage.LoreEntry{lintEntry("Odile", prose(""), func(e *storage.LoreEntry) { e.Removed = true })}},

	"type in capitals":     {entries: []storage.LoreEntry{lintEntry("Odile", prose("[Character-Odile: keeps bees]"))}, want: []string{"warning plist +"}},
	"never closed":         {entries: []storage.LoreEntry{lintEntry("Odile", prose("[character-Odile: keeps bees"))}, want: []string{"error plist +"}},
	"parenthesis open":     {entries: []storage.LoreEntry{lintEntry("Odile", prose("[character-Odile: keeps(bees, goats]"))}, want: []string{"error plist +"}},
	"closes nothing":       {entries: []storage.LoreEntry{lintEntry("Odile", prose("[character-Odile: keeps bees), tall]"))}, want: []string{"error plist"}},
	"said twice":           {entries: []storage.LoreEntry{lintEntry("Odile", prose("[character-Odile: keeps bees, tall, Keeps bees]"))}, want: []string{"warning plist +"}},
	"empty property":       {entries: []storage.LoreEntry{lintEntry("Odile", prose("[character-Odile: keeps bees, , tall]"))}, want: []string{"warning plist +"}},
	"unknown type":         {entries: []storage.LoreEntry{lintEntry("Odile", prose("[beekeeper-Odile: keeps bees]"))}, want: []string{"hint plist"}},
	"another's head":       {entries: []storage.LoreEntry{lintEntry("Odile", prose("[character-Marten: keeps bees]"))}, want: []string{"warning plist-head +"}},
	"an alias in the head": {entries: []storage.LoreEntry{lintEntry("Odile", prose("[character-The Queen: keeps bees]"), func(e *storage.LoreEntry) { e.Aliases = []string{"the queen"} })}},
	"other brackets":       {entries: []storage.LoreEntry{lintEntry("Odile", prose("[Genre: sea stories; Tags: salt, fog]"))}},
	"brackets with blank":  {entries: []storage.LoreEntry{lintEntry("Odile", prose("[ Her well-known habit: tea at five"))}},
	"prose":                {entries: []storage.LoreEntry{lintEntry("Odile", prose("Odile keeps bees. She sells his honey."))}},

	"empty content": {entries: []storage.LoreEntry{lintEntry("Odile", prose(" \n"))}, want: []string{"warning empty +"}},
	"long content":  {entries: []storage.LoreEntry{lintEntry("Odile", prose(strings.Repeat("Odile keeps bées. ", 80)))}, want: []string{"hint long"}},
	"foreign type":  {entries: []storage.LoreEntry{lintEntry("Odile", prose("Odile keeps bees."), func(e *storage.LoreEntry) { e.Type = "song" })}, want: []string{"hint type"}},

	"no keys":            {entries: []storage.LoreEntry{lintEntry("Odile", keyed())}, want: []string{"warning no-keys +"}},
	"no keys, no name":   {entries: []storage.LoreEntry{lintEntry("", keyed(" "), prose("Bees."))}, want: []string{"warning no-keys", "warning dead-key   +"}},
	"constant, no keys":  {entries: []storage.LoreEntry{lintEntry("Odile", keyed(), constant)}},
	"decorated, no keys": {entries: []storage.LoreEntry{lintEntry("Odile", keyed(), prose("@@depth 2\n@@activate\nOdile keeps bees."))}},
	"only secondary":     {entries: []storage.LoreEntry{lintEntry("Odile", keyed(), func(e *storage.LoreEntry) { e.SecondaryKeys = []string{"bee"} })}, want: []string{"warning no-keys +"}},

	"key twice":              {entries: []storage.LoreEntry{lintEntry("Odile", keyed("odile", " Odile"))}, want: []string{"warning duplicate-key  Odile +"}},
	"key twice, case counts": {entries: []storage.LoreEntry{lintEntry("Odile", keyed("odile", "Odile"), func(e *storage.LoreEntry) { e.CaseSensitive = new(true) })}},
	"empty key":              {entries: []storage.LoreEntry{lintEntry("Odile", keyed("odile", ""))}, want: []string{"warning dead-key  +"}},
	"broken regex":           {entries: []storage.LoreEntry{lintEntry("Odile", keyed("odile", "/od(ile/i"))}, want: []string{"error regex /od(ile/i +"}},
	"broken regex alone":     {entries: []storage.LoreEntry{lintEntry("Odile", keyed("/[/"))}, want: []string{"error regex /[/"}},
	"broken secondary regex": {entries: []storage.LoreEntry{lintEntry("Odile", func(e *storage.LoreEntry) { e.SecondaryKeys = []string{"/+/", "bee"} })}, want: []string{"error regex /+/ +"}},
	"look-behind regex":      {entries: []storage.LoreEntry{lintEntry("Odile", keyed(`/(?<=queen )odile\b/iu`))}},
	"flag twice":             {entries: []storage.LoreEntry{lintEntry("Odile", keyed("odile", "/hive/ii"))}, want: []string{"warning regex /hive/ii"}},
	"escaped slash":          {entries: []storage.LoreEntry{lintEntry("Odile", keyed("odile", `/he\/she/`))}, texts: chatter(60, 7, "Odile, he/she."), want: nil},
	"too long a regex":       {entries: []storage.LoreEntry{lintEntry("Odile", keyed("odile", "/"+strings.Repeat("a?", 3000)+"/"))}, want: []string{"error regex /" + strings.Repeat("a?", 3000) + "/ +"}},
	"no regex after all":     {entries: []storage.LoreEntry{lintEntry("Odile", keyed("/odile/x", "/od/ile/i"))}, want: []string{"warning regex /odile/x", "warning regex /od/ile/i"}},
	"slow regex":             {entries: []storage.LoreEntry{lintEntry("Odile", keyed("/(a+)+$/", "odile"))}, texts: []string{strings.Repeat("a", 40) + "!"}, want: []string{"warning regex /(a+)+$/"}},
	"several keys in one":    {entries: []storage.LoreEntry{lintEntry("Odile", keyed("odile, the queen; hive"))}, want: []string{"warning key-list odile, the queen; hive +"}},
	"marks around a key":     {entries: []storage.LoreEntry{lintEntry("Odile", keyed("“odile”", "hive."))}, want: []string{"warning key-marks “odile” +", "warning key-marks hive. +"}},
	"mark that stands":       {entries: []storage.LoreEntry{lintEntry("Odile", keyed("hive!"))}, texts: []string{"The hive!"}},
	"scored keys":            {entries: []storage.LoreEntry{lintEntry("Odile", keyed("odile", "old odile"), func(e *storage.LoreEntry) { e.UseGroupScoring = new(true) })}},

	"single letter":        {entries: []storage.LoreEntry{lintEntry("Odile", keyed("odile", "o"))}, want: []string{"warning everywhere o +"}},
	"single sign":          {entries: []storage.LoreEntry{lintEntry("Odile", keyed("龍"))}},
	"two letters":          {entries: []storage.LoreEntry{lintEntry("Odile", keyed("odile", "ed"))}, loose: true, want: []string{"warning everywhere ed +"}},
	"two letters as word":  {entries: []storage.LoreEntry{lintEntry("Odile", keyed("odile", "ed"))}},
	"the user's name":      {entries: []storage.LoreEntry{lintEntry("Odile", keyed("odile", "robin"))}, want: []string{"warning everywhere robin +"}},
	"the user's macro":     {entries: []storage.LoreEntry{lintEntry("Odile", keyed("odile", "{{user}}"))}, want: []string{"warning everywhere {{user}} +"}},
	"an entry about them":  {entries: []storage.LoreEntry{lintEntry("Tove Halloran", keyed("tove", "prompter"), prose("Tove prompts."))}, want: []string{"hint everywhere tove"}},
	"the first name":       {entries: []storage.LoreEntry{lintEntry("Odile", keyed("odile", "Tove"))}, want: []string{"warning everywhere Tove +"}},
	"key of a variable":    {entries: []storage.LoreEntry{lintEntry("Odile", keyed("{{getvar::x}}"))}, texts: chatter(40, 40, "")},
	"in every message":     {entries: []storage.LoreEntry{lintEntry("Odile", keyed("odile", "lantern"))}, texts: chatter(12, 3, "Odile."), want: []string{"warning everywhere lantern +"}},
	"regex in every one":   {entries: []storage.LoreEntry{lintEntry("Odile", keyed(`/lant.rn/`))}, texts: chatter(12, 3, ""), want: []string{"warning everywhere /lant.rn/"}},
	"constant in everyone": {entries: []storage.LoreEntry{lintEntry("Odile", keyed("lantern"), constant)}, texts: chatter(12, 3, "")},

	"dead key":              {entries: []storage.LoreEntry{lintEntry("Odile", keyed("odile", "hive"))}, texts: chatter(60, 7, "Odile."), want: []string{"hint dead-key hive +"}},
	"dead regex":            {entries: []storage.LoreEntry{lintEntry("Odile", keyed("odile", "/h[iy]ve/"))}, texts: chatter(60, 7, "Odile."), want: []string{"hint dead-key /h[iy]ve/ +"}},
	"dead within a word":    {entries: []storage.LoreEntry{lintEntry("Odile", keyed("odile", "hive"))}, texts: chatter(60, 7, "Odile's archives."), want: []string{"hint dead-key hive +"}},
	"alive within a word":   {entries: []storage.LoreEntry{lintEntry("Odile", keyed("odile", "hive"))}, texts: chatter(60, 7, "Odile's archives."), loose: true},
	"dead by case":          {entries: []storage.LoreEntry{lintEntry("Odile", keyed("odile", "Odile"), func(e *storage.LoreEntry) { e.CaseSensitive = new(true) })}, texts: chatter(60, 7, "Odile."), want: []string{"hint dead-key odile +"}},
	"umlauts":               {entries: []storage.LoreEntry{lintEntry("Jürgen", keyed("JÜRGEN", "ölung"))}, texts: chatter(60, 7, "Jürgen’s Ölung."), want: nil},
	"dead, only key":        {entries: []storage.LoreEntry{lintEntry("Odile")}, texts: chatter(60, 7, "Odilesque."), want: []string{"hint dead-key odile"}},
	"dead, all keys":        {entries: []storage.LoreEntry{lintEntry("Odile", keyed("odile", "hive"))}, texts: chatter(60, 7, ""), want: []string{"hint dead-keys"}},
	"dead, but has fired":   {entries: []storage.LoreEntry{lintEntry("Odile")}, texts: chatter(60, 7, ""), fired: map[storage.EntryID]int{"id-Odile": 2}},
	"dead, short chat":      {entries: []storage.LoreEntry{lintEntry("Odile")}, texts: chatter(20, 7, "")},
	"told by another":       {entries: []storage.LoreEntry{lintEntry("Odile"), lintEntry("Marten", prose("Marten loves Odile."))}, texts: chatter(60, 7, "Marten."), want: nil},
	"told by itself":        {entries: []storage.LoreEntry{lintEntry("Odile"), lintEntry("Marten", prose("Marten is alone."))}, texts: chatter(60, 7, "Marten."), want: []string{"hint dead-key odile"}},
	"told, and not allowed": {entries: []storage.LoreEntry{lintEntry("Odile", func(e *storage.LoreEntry) { e.ExcludeRecursion = true }), lintEntry("Marten", prose("Marten loves Odile."))}, texts: chatter(60, 7, "Marten."), want: []string{"hint dead-key odile"}},
	"told by who prevents":  {entries: []storage.LoreEntry{lintEntry("Odile"), lintEntry("Marten", prose("Marten loves Odile."), func(e *storage.LoreEntry) { e.PreventRecursion = true })}, texts: chatter(60, 7, "Marten."), want: []string{"hint dead-key odile"}},

	"a key of two":          {entries: []storage.LoreEntry{lintEntry("Odile", keyed("odile", "bees")), lintEntry("Marten", keyed("marten", "Bees"), prose("Marten fears bees."))}, want: []string{"hint shared-key bees"}},
	"a key of two, grouped": {entries: []storage.LoreEntry{lintEntry("Odile", keyed("bees"), edit(func(e *storage.LoreEntry) { e.Group = "b" })), lintEntry("Marten", keyed("bees"), prose("Marten fears bees."), func(e *storage.LoreEntry) { e.Group = "b, c" }), lintEntry("Off", func(e *storage.LoreEntry) { e.Group, e.Disabled = "c", true })}},

	"numbers differ": {entries: []storage.LoreEntry{lintEntry("Guard of the Gate 1", prose("Stands at the gate all night with a spear and a lamp.")), lintEntry("Guard of the Gate 2", prose("Stands at the gate all night with a spear and a lamp."))}},
	"types differ":   {entries: []storage.LoreEntry{lintEntry("Linden"), lintEntry("Linden Farm", keyed("farm"), prose("A farm."), func(e *storage.LoreEntry) { e.Name, e.Type = "Linden", "location" })}},
	"not the same":   {entries: []storage.LoreEntry{lintEntry("North Gate", prose("Guarded.")), lintEntry("South Gate", prose("Open."))}},

	"moving macro":           {entries: []storage.LoreEntry{lintEntry("Odile", constant, prose("Odile sings at {{time}}."))}, want: []string{"warning volatile +"}},
	"moving macro, no keys":  {entries: []storage.LoreEntry{lintEntry("Odile", constant, keyed(), prose("Odile rolls {{roll:d6}}."))}, want: []string{"warning volatile +"}},
	"moving macro, nameless": {entries: []storage.LoreEntry{lintEntry("", constant, keyed(), prose("Rolls {{roll:d6}}."))}, want: []string{"warning volatile"}},
	"moving macro, keyed":    {entries: []storage.LoreEntry{lintEntry("Odile", prose("Odile sings at {{time}}."))}},

	"unknown macro": {entries: []storage.LoreEntry{lintEntry("Odile", prose("Odile sings {{lullaby}} to {{user::now}} and {{char}}."))}, want: []string{"warning macro"}},
	"macros":        {entries: []storage.LoreEntry{lintEntry("Odile", prose("Odile sings {{if .loud}}loud{{else}}low{{/if}} to {{user}}{{.songs++}}."))}},

	"secondary ignored":     {entries: []storage.LoreEntry{lintEntry("Odile", func(e *storage.LoreEntry) { e.SecondaryKeys, e.Selective = []string{"bee"}, false })}, want: []string{"warning secondary +"}},
	"secondary forbids":     {entries: []storage.LoreEntry{lintEntry("Odile", func(e *storage.LoreEntry) { e.SecondaryKeys, e.Logic = []string{"odile"}, storage.NotAny })}, want: []string{"error filter +"}},
	"secondary forbids all": {entries: []storage.LoreEntry{lintEntry("Odile", func(e *storage.LoreEntry) { e.SecondaryKeys, e.Logic = []string{"odile"}, storage.NotAll })}, want: []string{"error filter +"}},
	"secondary narrows":     {entries: []storage.LoreEntry{lintEntry("Odile", keyed("odile", "queen"), func(e *storage.LoreEntry) { e.SecondaryKeys, e.Logic = []string{"odile"}, storage.NotAny })}},
	"unknown trigger":       {entries: []storage.LoreEntry{lintEntry("Odile", func(e *storage.LoreEntry) { e.Triggers = []string{"always"} })}, want: []string{"error filter +"}},
	"trigger":               {entries: []storage.LoreEntry{lintEntry("Odile", func(e *storage.LoreEntry) { e.Triggers = []string{"Swipe"} })}},

	"probability 0":         {entries: []storage.LoreEntry{lintEntry("Odile", func(e *storage.LoreEntry) { e.Probability = 0 })}, want: []string{"warning probability +"}},
	"probability not asked": {entries: []storage.LoreEntry{lintEntry("Odile", func(e *storage.LoreEntry) { e.Probability, e.UseProbability = 0, false })}},
	"constant at a depth":   {entries: []storage.LoreEntry{lintEntry("Odile", constant, func(e *storage.LoreEntry) { e.Position = storage.AtDepth })}, want: []string{"hint depth +"}},
	"constant at the end":   {entries: []storage.LoreEntry{lintEntry("Odile", constant, func(e *storage.LoreEntry) { e.Position, e.Depth = storage.AtDepth, 0 })}},
	"no such position":      {entries: []storage.LoreEntry{lintEntry("Odile", func(e *storage.LoreEntry) { e.Position = 12 })}, want: []string{"warning position +"}},
	"outlet without a name": {entries: []storage.LoreEntry{lintEntry("Odile", func(e *storage.LoreEntry) { e.Position = storage.Outlet })}, want: []string{"warning position +"}},
	"constant and cooldown": {entries: []storage.LoreEntry{lintEntry("Odile", constant, func(e *storage.LoreEntry) { e.Cooldown, e.Sticky = 3, 2 })}, want: []string{"warning times +"}},
	"constant and sticky":   {entries: []storage.LoreEntry{lintEntry("Odile", constant, func(e *storage.LoreEntry) { e.Sticky = 2 })}, want: []string{"hint times +"}},
	"negative times":        {entries: []storage.LoreEntry{lintEntry("Odile", func(e *storage.LoreEntry) { e.Sticky = -2 })}, want: []string{"warning times +"}},

	"waits and is excluded": {entries: []storage.LoreEntry{lintEntry("Odile", func(e *storage.LoreEntry) { e.DelayUntilRecursion, e.ExcludeRecursion = 1, true }), lintEntry("Marten")}, want: []string{"error recursion +"}},
	"waits for nobody":      {entries: []storage.LoreEntry{lintEntry("Odile", func(e *storage.LoreEntry) { e.DelayUntilRecursion = 1 }), lintEntry("Marten", func(e *storage.LoreEntry) { e.PreventRecursion = true })}, want: []string{"warning recursion +"}},
	"waits for somebody":    {entries: []storage.LoreEntry{lintEntry("Odile", func(e *storage.LoreEntry) { e.DelayUntilRecursion = 1 }), lintEntry("Marten")}},
	"weightless in a group": {entries: []storage.LoreEntry{lintEntry("Odile", func(e *storage.LoreEntry) { e.Group, e.GroupWeight = "moods", 0 }), lintEntry("Marten", func(e *storage.LoreEntry) { e.Group = "moods" })}, want: []string{"warning group-weight +"}},
}

func (c lintCase) input() Input {
	return Input{Entries: c.entries, Types: lintTypes, Texts: c.texts, Triggered: c.fired, WholeWords: !c.loose, User: "Robin", Char: "Tove Halloran"}
}

// brief is a finding as the cases name it; a plus says that it can be mended.
func brief(f Finding) string {
	s := string(f.Severity) + " " + f.Rule
	if f.Key != "" || f.Rule == "dead-key" {
		s += " " + f.Key
	}
	if f.Other != "" && f.Rule != "shared-key" {
		s += " > " + string(f.Other)
	}
	if f.Fix != "" {
		s += " +"
	}
	return s
}

func TestLint(t *testing.T) {
	for name, c := range lintCases {
		var got []string
		for _, f := range Lint(c.input()) {
			got = append(got, brief(f))
			if f.Text == "" || f.Entry == "" || f.Name == "" || strings.Contains(f.Text+f.Fix, "%!") {
				t.Errorf("%s: %+v", name, f)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// with puts mended entries in the place of what they were.
func with(entries, changed []storage.LoreEntry) []storage.LoreEntry {
	out := slices.Clone(entries)
	for _, c := range changed {
		out[slices.IndexFunc(out, func(e storage.LoreEntry) bool { return e.ID == c.ID })] = c
	}
	return out
}

func TestMend_TakesTheFindingAway(t *testing.T) {
	for name, c := range lintCases {
		for _, f := range Lint(c.input()) {
			before := make([]storage.LoreEntry, len(c.entries))
			for i := range c.entries {
				before[i] = cloneEntry(&c.entries[i])
			}
			changed, what, err := Fix(f, c.entries)
			if diff := cmp.Diff(before, c.entries); diff != "" {
				t.Fatalf("%s: the entries were changed: %s", name, diff)
			}
			if f.Fix == "" {
				if err == nil {
					t.Errorf("%s: mended without a fix: %s", name, what)
				}
				continue
			}
			if err != nil || what == "" || len(changed) == 0 {
				t.Errorf("%s: %v %q %d", name, err, what, len(changed))
				continue
			}
			after := c
			after.entries = with(c.entries, changed)
			for _, g := range Lint(after.input()) {
				if g.Rule == f.Rule && g.Entry == f.Entry && g.Other == f.Other && g.Key == f.Key && g.Text == f.Text {
					t.Errorf("%s: still there after “%s”: %+v", name, what, g)
				}
			}
		}
	}
}

func TestMend_Contents(t *testing.T) {
	for content, want := range map[string]string{
		"[Character-Odile: keeps(bees, goats":                      "[character-Odile: keeps(bees, goats)]",
		"[character-Odile: tall, keeps bees, Tall,]":               "[character-Odile: tall, keeps bees]",
		"[ITEM-Lantern: hangs(on a hook(rusty]":                    "[item-Lantern: hangs(on a hook(rusty))]",
		"[character-Odile: tall]\n[character-Marten: small]":       "[character-Odile: tall]\n[character-Marten: small]",
		"[character-Odile: tall\n\nShe keeps bees in the orchard.": "[character-Odile: tall\n\nShe keeps bees in the orchard.",
	} {
		if got := plist.Repair(content); got != want {
			t.Errorf("%q:\n%q, want\n%q", content, got, want)
		}
	}
}

func TestMend_RefusesWhatDoesNotFit(t *testing.T) {
	e := lintEntry("Odile")
	gone := lintEntry("Marten", func(e *storage.LoreEntry) { e.Removed = true })
	for name, f := range map[string]Finding{
		"gone":           {Rule: "depth", Entry: "nobody", Fix: "x"},
		"removed":        {Rule: "depth", Entry: gone.ID, Fix: "x"},
		"key gone":       {Rule: "everywhere", Entry: e.ID, Key: "hive", Fix: "x"},
		"sound content":  {Rule: "plist", Entry: e.ID, Fix: "x"},
		"own head":       {Rule: "plist-head", Entry: e.ID, Fix: "x"},
		"has content":    {Rule: "empty", Entry: e.ID, Fix: "x"},
		"keyed already":  {Rule: "volatile", Entry: e.ID, Fix: "x"},
		"has keys":       {Rule: "no-keys", Entry: e.ID, Fix: "x"},
		"no second key":  {Rule: "duplicate-key", Entry: e.ID, Key: "odile", Fix: "x"},
		"no such rule":   {Rule: "colour", Entry: e.ID, Fix: "x"},
		"nothing to fix": {Rule: "long", Entry: e.ID},
	} {
		if changed, what, err := Fix(f, []storage.LoreEntry{e, gone}); err == nil {
			t.Errorf("%s: %q %+v", name, what, changed)
		}
	}
}

// anyEntry draws an entry that may have anything wrong with it.
func anyEntry(t *rapid.T, id int) storage.LoreEntry {
	text := rapid.SampledFrom([]string{"", " ", "odile", "Odile", "odile, hive", "/o(/", "/odile/i", "/", "//", "“bee”", "a", "the", "robin", "{{user}}", "{{char", "龍", "\xff", "b\x01c", strings.Repeat("long ", 70)})
	content := rapid.SampledFrom([]string{"", "[character-Odile: bees", "[Character-odile: bees, bees(", "[item-: x]", "[a-b", "[-:", "She {{time}} {{roll:6}}", "@@activate\n{{random::a::b}}", "odile \xff hive", strings.Repeat("hive and bee ", 120), "[character-Odile: [x], (y))]"})
	e := storage.NewLoreEntry()
	e.ID = storage.EntryID(fmt.Sprint("e", id))
	e.Name = text.Draw(t, "name")
	e.Aliases = rapid.SliceOfN(text, 0, 2).Draw(t, "aliases")
	e.Keys, e.SecondaryKeys = rapid.SliceOfN(text, 0, 5).Draw(t, "keys"), rapid.SliceOfN(text, 0, 3).Draw(t, "secondary")
	e.Content = content.Draw(t, "content")
	e.Selective, e.Constant, e.Disabled = rapid.Bool().Draw(t, "selective"), rapid.Bool().Draw(t, "constant"), rapid.IntRange(0, 9).Draw(t, "disabled") == 0
	e.Logic = storage.LoreLogic(rapid.IntRange(-1, 4).Draw(t, "logic"))
	e.Position = storage.LorePosition(rapid.IntRange(-1, 9).Draw(t, "position"))
	e.Depth, e.Sticky, e.Cooldown = rapid.IntRange(-1, 5).Draw(t, "depth"), rapid.IntRange(-1, 5).Draw(t, "sticky"), rapid.IntRange(-1, 5).Draw(t, "cooldown")
	e.Group = rapid.SampledFrom([]string{"", ",", "a", "a,b", " b "}).Draw(t, "group")
	e.DelayUntilRecursion, e.ExcludeRecursion, e.PreventRecursion = rapid.IntRange(0, 1).Draw(t, "delayed"), rapid.Bool().Draw(t, "excluded"), rapid.Bool().Draw(t, "prevents")
	e.Probability = rapid.Float64().Draw(t, "probability")
	if rapid.Bool().Draw(t, "case") {
		e.CaseSensitive = new(rapid.Bool().Draw(t, "case counts"))
	}
	return e
}

// TestLint_MendUntilNothingIsLeft: fixes lead somewhere: done one after the
// other, they come to an end.
func TestLint_MendUntilNothingIsLeft(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var entries []storage.LoreEntry
		for i := range rapid.IntRange(1, 5).Draw(t, "entries") {
			entries = append(entries, anyEntry(t, i))
		}
		in := Input{Entries: entries, Types: lintTypes, WholeWords: rapid.Bool().Draw(t, "whole"), User: "Robin", Char: "Odile"}
		if rapid.Bool().Draw(t, "chat") {
			in.Texts = chatter(40, 3, "Odile and the hive \xff")
		}
		for round := 0; ; round++ {
			found := Lint(in)
			if diff := cmp.Diff(found, Lint(in)); diff != "" {
				t.Fatalf("found otherwise the second time: %s", diff)
			}
			i := slices.IndexFunc(found, func(f Finding) bool { return f.Fix != "" })
			if i < 0 {
				return
			}
			changed, what, err := Fix(found[i], in.Entries)
			if err != nil {
				t.Fatalf("%+v: %v", found[i], err)
			}
			in.Entries = with(in.Entries, changed)
			if round > 100 {
				t.Fatalf("no end of fixes; at last %+v: %s", found[i], what)
			}
		}
	})
}

func FuzzLint(f *testing.F) {
	f.Add("Odile", "odile\nthe\n/o(d/i", "[character-Odile: bees(", "Odile and the hive.", uint8(3))
	f.Add("", "", "[a-b:", "", uint8(255))
	f.Add("Ödile", "/(a|a)*$/\n{{user}}", "@@activate\n{{time}}", strings.Repeat("a", 60), uint8(16))
	f.Fuzz(func(t *testing.T, name, keys, content, text string, bits uint8) {
		var entries []storage.LoreEntry
		for i := range 3 {
			e := storage.NewLoreEntry()
			e.ID, e.Name, e.Content, e.Keys = storage.EntryID(fmt.Sprint(i)), name, content, strings.Split(keys, "\n")
			e.SecondaryKeys, e.Logic = e.Keys[:min(1, i)], storage.LoreLogic(bits&3)
			e.Constant, e.Selective, e.Group = bits&4 > 0 && i == 0, bits&8 > 0, strings.Repeat("g,", i)
			entries = append(entries, e)
		}
		in := Input{Entries: entries, Types: lintTypes, Texts: slices.Repeat([]string{text}, int(bits>>4)*4), WholeWords: bits&16 > 0, User: name, Char: text}
		for _, found := range Lint(in) {
			_, _, err := Fix(found, entries)
			if (err == nil) != (found.Fix != "") {
				t.Fatalf("%+v: %v", found, err)
			}
		}
	})
}

// bigBook is a book of many entries, and a chat that mentions some of them.
func bigBook(entries, messages int) Input {
	rng := rand.New(rand.NewPCG(1, 2))
	syllables := strings.Fields("an bel cor dan el fir gor hal is jor kel lin mor nar ol per quin ral sen tor ul ver wen yr zan")
	word := func() string {
		var b strings.Builder
		for range 2 + rng.IntN(2) {
			b.WriteString(syllables[rng.IntN(len(syllables))])
		}
		return b.String()
	}
	text := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteString(word() + " ")
		}
		return b.String()
	}
	in := Input{Types: lintTypes, WholeWords: true, User: "Robin", Char: "Tove"}
	for i := range entries {
		e := storage.NewLoreEntry()
		e.ID, e.Name, e.Type = storage.EntryID(fmt.Sprint("e", i)), strings.TrimSpace(text(2)), "character"
		e.Keys = []string{word(), text(2), word() + "-" + word()}
		if i%7 == 0 {
			e.Keys = append(e.Keys, "/"+word()+"[aeiou]"+word()+"/i")
		}
		e.Content = "[character-" + e.Name + ": " + strings.Join([]string{text(9), text(9), text(9), text(9), text(9)}, ", ") + "]"
		in.Entries = append(in.Entries, e)
	}
	for range messages {
		in.Texts = append(in.Texts, text(200))
	}
	return in
}

func BenchmarkLint(b *testing.B) {
	for _, size := range [][2]int{{100, 200}, {1000, 2000}, {10_000, 2000}} {
		in := bigBook(size[0], size[1])
		b.Run(fmt.Sprintf("%d_entries/%d_messages", size[0], size[1]), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Lint(in)
			}
		})
	}
}
