package chats

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/formats"
	"github.com/ghostlight-theatre/ghostlight/engine/play/regex"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Regex manages the regex scripts: the user's own, and the user's choices about scripts in cards,
// which run only if allowed. It is safe for concurrent use.
type Regex struct {
	core *core.Core
	kept *regex.Cache

	mu   sync.Mutex
	told map[string]bool // scripts whose cut-off was already reported
}

// RegexView is a regex script with its origin. ID identifies it; for a script of a card it is the
// character's ID and the number in the card, from 1. On reports that it runs: it is not off, and
// for a script of a card, the card's scripts are allowed.
type RegexView struct {
	ID        string              `json:"id"`
	Character storage.CharacterID `json:"character"` // owner of its card, "" for the user's own
	Of        string              `json:"of"`        // the name of Character
	Allowed   bool                `json:"allowed"`
	On        bool                `json:"on"`
	storage.RegexScript
	Fault    string `json:"fault"`    // why it does nothing, "" if it works
	Unstable string `json:"unstable"` // why it makes prompts change by themselves, "" if it does not
}

// RegexChanged reports that regex scripts, and what they show, must be read again.
type RegexChanged struct{}

// ErrCardScript refuses a change of a script that comes with a card.
var ErrCardScript = failure.Refusef(
	"scripts of a card cannot be edited: export the script and import the file as your own")

// List returns the scripts in running order: the user's own, then those of cards. With a chat it
// lists only the cards of that chat; with "" it lists all.
func (r *Regex) List(chat storage.ChatID) (list []RegexView, err error) {
	err = r.core.Store.View(func(tx *storage.Tx) error {
		list = ownScripts(tx)
		if chat == "" {
			for _, who := range storage.Characters.Holding(tx, `"regex_scripts"`) {
				list = append(list, cardScripts(tx, &who)...)
			}
			return nil
		}
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		for _, who := range playersOf(tx, c) {
			list = append(list, cardScripts(tx, &who)...)
		}
		return nil
	})
	if err != nil {
		return nil, failure.Wrap("list regex scripts", err)
	}
	return list, nil
}

// playersOf returns the characters whose cards' scripts may run in a chat.
func playersOf(tx *storage.Tx, c storage.Chat) (list []storage.Character) {
	for _, id := range append([]storage.CharacterID{c.Character}, CastOf(c)...) {
		if who, err := storage.Characters.Get(tx, id); err == nil &&
			!slices.ContainsFunc(list, func(w storage.Character) bool { return w.ID == id }) {
			list = append(list, who)
		}
	}
	return list
}

func ownScripts(tx *storage.Tx) []RegexView {
	var list []RegexView
	for id, s := range storage.RegexScripts.All(tx) {
		list = append(list, viewOf(RegexView{ID: string(id), Allowed: true}, s))
	}
	slices.SortStableFunc(list, func(a, b RegexView) int { return cmp.Compare(a.Order, b.Order) })
	return list
}

// cardScripts returns the scripts of a character's card, off unless the user has allowed these.
func cardScripts(tx *storage.Tx, who *storage.Character) (list []RegexView) {
	scripts := formats.CardRegex(who.Source)
	said, err := storage.CardRegexes.Get(tx, who.ID)
	allowed := err == nil && said.On && said.Sum == sumOf(scripts)
	for i, s := range scripts {
		s.Order, s.CreatedAt, s.UpdatedAt = i, who.CreatedAt, who.UpdatedAt
		s.Off = s.Off != slices.Contains(said.Off, i+1)
		list = append(list, viewOf(RegexView{ID: string(who.ID) + "/" + strconv.Itoa(i+1), Character: who.ID,
			Of: who.Card.CharName(), Allowed: allowed}, s))
	}
	return list
}

// sumOf returns a hash of a card's scripts, to detect changes.
func sumOf(scripts []storage.RegexScript) string {
	var all strings.Builder
	for i := range scripts {
		all.Write(scripts[i].Source)
		all.WriteByte('\n')
	}
	return core.ContentHash(all.String())
}

func viewOf(v RegexView, s storage.RegexScript) RegexView {
	v.RegexScript, v.On = s, v.Allowed && !s.Off
	v.Fault, v.Unstable = regex.Check(s), regex.Unstable(s)
	return v
}

// Find returns the script with an ID, a prefix of an ID, or a name. A script of a card is also
// found by the character's name and its number: NAME/1.
func (r *Regex) Find(ref string) (RegexView, error) {
	list, err := r.List("")
	if err != nil {
		return RegexView{}, err
	}
	var all []core.Named
	for _, v := range list {
		n := core.Named{ID: v.ID, Name: v.Name}
		if v.Character != "" {
			n.Short = v.Of + "/" + strconv.Itoa(v.Order+1)
		}
		all = append(all, n)
	}
	id, err := core.Resolve("regex script", ref, all)
	if err != nil {
		return RegexView{}, err
	}
	return list[slices.IndexFunc(list, func(v RegexView) bool { return v.ID == id })], nil
}

// RegexImport is the result of importing a file with regex scripts.
type RegexImport struct {
	Scripts []RegexView `json:"scripts"`
	Here    int         `json:"here"` // already present
	Remarks []string    `json:"remarks"`
}

// Import adds the scripts of a file after the user's own. It skips those that are already present.
func (r *Regex) Import(path string) (out RegexImport, err error) {
	got, err := formats.ReadRegexFile(core.ExpandHome(path))
	if err != nil {
		return out, failure.Wrap("import", err)
	}
	out.Remarks = append([]string{}, got.Remarks...)
	err = r.core.Store.Update(func(tx *storage.Tx) error {
		out.Scripts, out.Here = []RegexView{}, 0
		for _, s := range got.Scripts {
			v, added, err := r.AddWithin(tx, s)
			if err != nil {
				return err
			}
			if !added {
				out.Here++
				continue
			}
			out.Scripts = append(out.Scripts, v)
		}
		return nil
	})
	if err != nil {
		return RegexImport{}, failure.Wrap("import", err)
	}
	r.Changed()
	return out, nil
}

// AddWithin adds a script after the user's own. If an equal one exists, it returns that one
// instead. Call Changed after the transaction is stored.
func (r *Regex) AddWithin(tx *storage.Tx, s storage.RegexScript) (v RegexView, added bool, err error) {
	list := ownScripts(tx)
	for _, have := range list {
		if alike(have.RegexScript, s) {
			return have, false, nil
		}
	}
	if len(list) >= formats.MaxRegexScripts {
		return v, false, failure.Refusef("the limit of %d regex scripts is reached: delete some", len(list))
	}
	s.ID, s.Order, s.CreatedAt = storage.RegexID(storage.NewID()), 0, r.core.Config.Now()
	s.UpdatedAt = s.CreatedAt
	if n := len(list); n > 0 {
		s.Order = list[n-1].Order + 1
	}
	return viewOf(RegexView{ID: string(s.ID), Allowed: true}, s), true, storage.RegexScripts.Put(tx, s.ID, s)
}

// alike reports whether two scripts have the same name and effect, whether on or off.
func alike(a, b storage.RegexScript) bool {
	same := func(x, y *int) bool { return x == y || x != nil && y != nil && *x == *y }
	return a.Name == b.Name && a.Find == b.Find && a.Replace == b.Replace && slices.Equal(a.Trim, b.Trim) &&
		slices.Equal(a.Places, b.Places) &&
		a.DisplayOnly == b.DisplayOnly && a.PromptOnly == b.PromptOnly && a.OnEdit == b.OnEdit &&
		a.Macros == b.Macros &&
		same(a.MinDepth, b.MinDepth) && same(a.MaxDepth, b.MaxDepth)
}

// Changed emits RegexChanged. Call it after scripts were changed within a transaction.
func (r *Regex) Changed() {
	r.mu.Lock()
	clear(r.told)
	r.mu.Unlock()
	r.core.Emit(RegexChanged{})
}

// Put stores a script of the user, a new one if its ID is "", and returns its view. It refuses a
// script that cannot work.
func (r *Regex) Put(s storage.RegexScript) (v RegexView, err error) {
	if err := RegexFields.Valid(&s); err != nil {
		return v, failure.Wrap("save regex script", err)
	}
	if words := regex.Check(s); words != "" {
		return v, failure.Wrap("save regex script", failure.Refusef("%s", words))
	}
	err = r.core.Store.Update(func(tx *storage.Tx) error {
		if s.ID == "" {
			var added bool
			if v, added, err = r.AddWithin(tx, s); err == nil && !added {
				err = failure.Refusef("this script already exists: %s", v.ID)
			}
			return err
		}
		s.UpdatedAt = r.core.Config.Now()
		v = viewOf(RegexView{ID: string(s.ID), Allowed: true}, s)
		return storage.RegexScripts.Put(tx, s.ID, s)
	})
	if err != nil {
		return RegexView{}, failure.Wrap("save regex script", err)
	}
	r.Changed()
	return v, nil
}

// Restore stores a deleted or changed script of the user as it was.
func (r *Regex) Restore(s storage.RegexScript) error {
	return r.change("restore regex script", func(tx *storage.Tx) error { return storage.RegexScripts.Put(tx, s.ID, s) })
}

// change changes scripts in one transaction and calls Changed.
func (r *Regex) change(op string, f func(tx *storage.Tx) error) error {
	if err := r.core.Store.Update(f); err != nil {
		return failure.Wrap(op, err)
	}
	r.Changed()
	return nil
}

// Delete removes a script of the user and returns it as it was stored: v may be outdated.
func (r *Regex) Delete(v RegexView) (was storage.RegexScript, err error) {
	err = r.change("delete regex script", func(tx *storage.Tx) (err error) {
		if v.Character != "" {
			return ErrCardScript
		}
		if was, err = storage.RegexScripts.Get(tx, storage.RegexID(v.ID)); err != nil {
			return err
		}
		return storage.RegexScripts.Delete(tx, was.ID)
	})
	return was, err
}

// Switch turns a script on or off. A script of a card runs only if the card's scripts are allowed.
func (r *Regex) Switch(v RegexView, on bool) error {
	return r.change("switch regex script", func(tx *storage.Tx) error {
		if v.Character == "" {
			s, err := storage.RegexScripts.Get(tx, storage.RegexID(v.ID))
			if err != nil {
				return err
			}
			s.Off, s.UpdatedAt = !on, r.core.Config.Now()
			return storage.RegexScripts.Put(tx, s.ID, s)
		}
		said, scripts, err := saidOf(tx, v.Character)
		if err != nil {
			return err
		}
		if v.Order >= len(scripts) {
			return failure.Refusef("the card no longer has this script")
		}
		said.Off = slices.DeleteFunc(said.Off, func(n int) bool { return n == v.Order+1 })
		if scripts[v.Order].Off == on { // differs from the card
			said.Off = append(said.Off, v.Order+1)
		}
		return storage.CardRegexes.Put(tx, v.Character, said)
	})
}

// Allow allows or forbids the scripts of a character's card. It returns the number of scripts in
// the card.
func (r *Regex) Allow(who storage.CharacterID, on bool) (n int, err error) {
	err = r.change("allow regex scripts", func(tx *storage.Tx) (err error) {
		n, err = r.AllowWithin(tx, who, on)
		if err == nil && n == 0 {
			err = failure.Refusef("this card has no regex scripts")
		}
		return err
	})
	return n, err
}

// AllowWithin is Allow within a transaction. Call Changed after it is stored. For a card without
// scripts it does nothing.
func (r *Regex) AllowWithin(tx *storage.Tx, who storage.CharacterID, on bool) (n int, err error) {
	said, scripts, err := saidOf(tx, who)
	if err != nil || len(scripts) == 0 {
		return 0, err
	}
	said.On = on
	return len(scripts), storage.CardRegexes.Put(tx, who, said)
}

// saidOf returns the user's choices about a card's scripts, and the scripts. If the scripts have
// changed since, it returns no choices.
func saidOf(tx *storage.Tx,
	who storage.CharacterID) (said storage.CardRegex, scripts []storage.RegexScript, err error) {
	c, err := storage.Characters.Get(tx, who)
	if err != nil {
		return said, nil, err
	}
	scripts = formats.CardRegex(c.Source)
	sum := sumOf(scripts)
	if said, err = storage.CardRegexes.Get(tx, who); errors.Is(err, storage.ErrNotFound) ||
		err == nil && said.Sum != sum {
		return storage.CardRegex{Character: who, Sum: sum}, scripts, nil
	}
	return said, scripts, err
}

// Move moves a script of the user to a position among the user's own, from 0.
func (r *Regex) Move(v RegexView, to int) error {
	return r.change("move regex script", func(tx *storage.Tx) error {
		if v.Character != "" {
			return ErrCardScript
		}
		list := ownScripts(tx)
		at := slices.IndexFunc(list, func(w RegexView) bool { return w.ID == v.ID })
		if at < 0 {
			return &storage.NotFoundError{Kind: "regex script", ID: v.ID}
		}
		moved := list[at]
		list = slices.Delete(list, at, at+1)
		list = slices.Insert(list, max(0, min(to, len(list))), moved)
		for i, w := range list {
			if w.Order == i {
				continue
			}
			w.RegexScript.Order = i
			if err := storage.RegexScripts.Put(tx, storage.RegexID(w.ID), w.RegexScript); err != nil {
				return err
			}
		}
		return nil
	})
}

// Export returns scripts in the file format of other programs.
func (r *Regex) Export(list ...RegexView) ([]byte, error) {
	scripts := make([]storage.RegexScript, len(list))
	for i, v := range list {
		scripts[i] = v.RegexScript
	}
	data, err := formats.WriteRegex(scripts...)
	if err != nil {
		return nil, failure.Wrap("export", err)
	}
	return data, nil
}

// RegexTrial is the result of running a script over a text. Fault is the reason if it does nothing
// or was cut off.
type RegexTrial struct {
	Text    string `json:"text"`
	Shown   string `json:"shown"`   // in the terminal, which draws no HTML elements
	Sent    string `json:"sent"`    // in a prompt
	Changed bool   `json:"changed"` // the result differs from the text
	Fault   string `json:"fault"`
}

// Try runs a script over a text as if the script were on and applied to it. Macros have the values
// of the chat; with "" they have default names.
func (r *Regex) Try(s storage.RegexScript, text string, chat storage.ChatID) (t RegexTrial, err error) {
	t = RegexTrial{Text: text, Shown: text, Sent: text}
	var env regex.Env
	err = r.core.Store.View(func(tx *storage.Tx) error {
		c, err := storage.Chat{}, error(nil)
		if chat != "" {
			c, err = storage.Chats.Get(tx, chat)
		}
		env = envsOf(tx, r.core, c)("")
		return err
	})
	if err != nil {
		return t, failure.Wrap("try regex script", err)
	}
	s.Off, s.DisplayOnly, s.PromptOnly, s.MinDepth, s.MaxDepth, s.Places = false, true, true, nil, nil,
		[]storage.RegexPlace{storage.RegexReply}
	set := regex.New([]storage.RegexScript{s}, env, regex.NewCache(0))
	if t.Fault = set.Faults()[0]; t.Fault != "" {
		return t, nil
	}
	for stage, into := range map[regex.Stage]*string{regex.Display: &t.Shown, regex.Prompt: &t.Sent} {
		p := set.Pass(stage)
		*into, _ = p.Run(regex.Text{Text: text, Place: storage.RegexReply, Depth: regex.AnyDepth})
		t.Fault = cmp.Or(t.Fault, p.Cut()[0])
	}
	t.Changed = t.Shown != text || t.Sent != text
	return t, nil
}
