package pictures

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// OpenReferences shows the reference images of a character. The first is the most important.
func (r *Part) OpenReferences(id storage.CharacterID) tea.Cmd {
	var p *widget.Picker
	renew := func(words string, do func() (storage.Character, error)) tea.Cmd {
		return r.host.Do(func() func() tea.Cmd {
			c, err := do()
			return func() tea.Cmd {
				if err != nil {
					r.host.Open(&widget.Reader{Title: "Reference images", Lines: widget.PlainLines(failure.Text(err))})
					return nil
				}
				p.Fill(referenceEntries(c))
				if words != "" {
					return r.host.Say(event.Info, words)
				}
				return nil
			}
		})
	}
	faces := r.host.Engine().Pictures.References
	add := func(from pictures.ReferenceSource) tea.Cmd {
		return renew("reference image added", func() (storage.Character, error) { return faces.Add(id, from, false) })
	}
	p = widget.NewPicker(r.host.Styles(), "Reference images", nil, func(e widget.Entry) tea.Cmd {
		n, _ := e.Value.(int)
		return renew("now the main reference", func() (storage.Character, error) { return faces.MakeFirst(id, n) })
	},
		widget.Extra{Name: keys.DialogNew, Description: "add the avatar", Always: true, Keep: true,
			Do: func(widget.Entry) tea.Cmd { return add(pictures.ReferenceSource{Avatar: true}) }},
		widget.Extra{Name: keys.DialogBrowse, Description: "add a file", Always: true, Keep: true,
			Do: func(widget.Entry) tea.Cmd { r.openReferenceFile(add); return nil }},
		widget.Extra{Name: keys.DialogRemove, Description: "remove", Keep: true, Do: func(e widget.Entry) tea.Cmd {
			n, _ := e.Value.(int)
			return renew("reference image removed", func() (storage.Character, error) { return faces.Remove(id, n) })
		}})
	p.Stay = true
	p.Verb = func(widget.Entry) string { return "make main" }
	p.Empty = "none yet; in the gallery " + r.host.Keys().Key(keys.PaneLock, keys.Pane) + " adds a picture"
	r.host.Open(p)
	return renew("", func() (storage.Character, error) { return r.host.Engine().Library.FindCharacter(string(id)) })
}

func referenceEntries(c storage.Character) []widget.Entry {
	var out []widget.Entry
	for i, ref := range c.Imagery.References {
		words := "from a file"
		switch {
		case ref.Avatar:
			words = "the current avatar"
		case ref.Capture != "":
			words = "from the gallery"
		}
		out = append(out, widget.Entry{Value: i + 1, Title: fmt.Sprintf("%d  %s", i+1, words)})
	}
	return out
}

// openReferenceFile asks for a file.
func (r *Part) openReferenceFile(add func(pictures.ReferenceSource) tea.Cmd) {
	f := &widget.Form{}
	f.Title, f.Verb = "Reference image from a file", "add"
	f.Fields = []*widget.Field{widget.LineField(r.host.Styles(), "File", "",
		"a PNG, JPEG or WebP, for example ~/tove.png")}
	f.Notes = []string{"A copy is stored, scaled down if large, without metadata."}
	f.Save = func(*widget.Form) (tea.Cmd, error) {
		path := strings.TrimSpace(f.Fields[0].Value())
		if path == "" {
			return nil, fmt.Errorf("enter a file path")
		}
		return add(pictures.ReferenceSource{File: path}), nil
	}
	f.Start()
	r.host.Open(f)
}

// asReference makes a picture of the gallery a reference image of the chat's character.
func (r *Part) asReference(c storage.Capture) tea.Cmd {
	who := r.host.Play().Chat().Character
	return r.host.Do(func() func() tea.Cmd {
		_, err := r.host.Engine().Pictures.References.Add(who.ID, pictures.ReferenceSource{Capture: c.ID}, false)
		return func() tea.Cmd {
			if err != nil {
				return r.host.Fail(err)
			}
			return r.host.Say(event.Info, "a reference image of "+draw.Truncate(who.Card.CharName(), 40)+" now")
		}
	})
}

// startFrom makes a draft that starts with a picture, and opens it.
func (r *Part) startFrom(c storage.Capture) tea.Cmd {
	return r.host.Do(func() func() tea.Cmd {
		v, err := r.host.Engine().Pictures.StartFrom(c.ID, 0)
		flows := readFlows(r.host.Engine())
		return func() tea.Cmd {
			if err != nil {
				return r.host.Fail(err)
			}
			return r.showPreview(v, flows)
		}
	})
}

// askOffers queries what the servers lack for the bundled workflows.
func (p *preview) askOffers() tea.Cmd {
	workflow, kind := p.c.Workflow, p.c.Kind
	return p.part.host.Do(func() func() tea.Cmd {
		eng := p.part.host.Engine()
		lacks := eng.Pictures.Workflows.Offers(p.part.host.Context())
		eng.Pictures.Workflows.Form(p.part.host.Context(), workflow, kind)
		flows := readFlows(eng)
		return func() tea.Cmd {
			at := p.At
			p.missing = lacks
			p.takeFlows(flows)
			p.Focus(at)
			return p.checkAgain()
		}
	})
}

// openFlows returns the list of workflows.
func (p *preview) openFlows() *widget.Picker {
	var entries []widget.Entry
	for _, f := range p.flows {
		words := f.kind
		switch {
		case p.missing[f.name] != "":
			words += draw.Separator + "your server lacks " + p.missing[f.name]
		case f.fault != "":
			words += draw.Separator + failure.FirstRunes(f.fault, 80)
		case f.usedLast:
			words += draw.Separator + "the last one"
		}
		entries = append(entries, widget.Entry{Value: f.name, Title: f.name, Detail: words})
	}
	list := widget.NewPicker(p.part.host.Styles(), "Workflow", entries, func(e widget.Entry) tea.Cmd {
		for i, f := range p.flows {
			if f.name == e.Value {
				p.Fields[fieldWorkflow].Chosen = i
			}
		}
		return p.checkAgain()
	})
	p.part.host.Open(list)
	return list
}
