package themes

import "image/color"

// Palette has the colours of each part of the screen. Text roles are on the terminal's own
// background, except AccentText, SelectionText and StatusText, which are on Accent, Selection and
// Status. Colours are true colours (or terminal colours, in a user's file); the program's output
// converts them to what the terminal supports.
type Palette struct {
	Text  color.Color // the play
	Dim   color.Color // side matter: times, hints, counts
	Faint color.Color // what may be overlooked: rules, placeholders

	Accent, AccentText color.Color // the focused thing, the key in a hint

	Speech, Action, Strong, Code, Quote, Heading, OOC color.Color // in prose

	// ItalicNarration reports whether paragraphs that begin with an action are italic.
	ItalicNarration bool

	User, Character color.Color // names

	Border                   color.Color
	Selection, SelectionText color.Color
	Status, StatusText       color.Color
	Warning, Error, Success  color.Color
}

// roles are the keys of [dark] and [light] in a theme file.
var roles = [...]string{
	"text", "dim", "faint", "accent", "accent_text", "speech", "action", "strong", "code", "quote", "heading", "ooc",
	"user", "character", "border", "selection", "selection_text", "status", "status_text", "warning",
	"error", "success",
}

// slot returns the place of a role in the palette, nil for no role.
func (p *Palette) slot(role string) *color.Color {
	all := [...]*color.Color{
		&p.Text, &p.Dim, &p.Faint, &p.Accent, &p.AccentText, &p.Speech, &p.Action, &p.Strong, &p.Code, &p.Quote,
		&p.Heading, &p.OOC,
		&p.User, &p.Character, &p.Border, &p.Selection, &p.SelectionText, &p.Status, &p.StatusText, &p.Warning,
		&p.Error, &p.Success,
	}
	for i, r := range roles {
		if r == role {
			return all[i]
		}
	}
	return nil
}
