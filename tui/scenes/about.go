package scenes

import (
	"fmt"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// marks describes what is special about a version, "" for nothing.
func (p *recapPane) marks(v scenes.RecapVersion) string {
	var words []string
	if v.Edited() || v.Origin == storage.Edited {
		words = append(words, "edited")
	}
	if v.Origin == storage.Imported {
		words = append(words, "imported")
	}
	if v.Stale {
		words = append(words, "outdated")
	}
	if len(words) == 0 {
		return ""
	}
	return " " + strings.Join(words, ", ")
}

// aboutOpen describes the recap of the open scene.
func (p *recapPane) aboutOpen() string {
	v := p.soFar
	words := "start of the open scene · messages 1 to " + fmt.Sprint(v.Messages) + " · made " +
		draw.AgoWords(v.CreatedAt)
	if read := readWords(&v.RecapVersion); read != "" {
		words += " · " + read
	}
	if p.recapping {
		words += " · being updated"
	}
	return words + " · removed when the scene ends"
}

// readWords returns words about the parts that a recap was read in, with the messages at which they
// end; "" if there was one part.
func readWords(v *scenes.RecapVersion) string {
	words := ""
	if v.Parts > 1 {
		words = fmt.Sprintf("processed in %d parts", v.Parts)
		var parts []string
		from := 1
		for _, to := range v.Reads {
			if from >= to {
				parts = append(parts, fmt.Sprint(to))
			} else {
				parts = append(parts, fmt.Sprintf("%d–%d", from, to))
			}
			from = to + 1
		}
		if len(parts) > 0 {
			words += ": messages " + strings.Join(parts, ", ")
		}
	}
	if v.Shortened > 0 {
		if words != "" {
			words += " · "
		}
		words += draw.Plural(v.Shortened, "long message") + " shortened"
	}
	if v.Unfinished {
		if words != "" {
			words += " · "
		}
		words += "output limit reached: it may be incomplete"
	}
	return words
}

// about describes how the visible version was made.
func (p *recapPane) about() string {
	v := p.version()
	if v == nil {
		return ""
	}
	words := "made"
	switch v.Origin {
	case storage.Edited:
		words = "edited"
	case storage.Copied:
		words = "copy of the first scene's recap"
	case storage.Imported:
		words = "imported"
	}
	parts := []string{words + " " + draw.AgoWords(v.CreatedAt)}
	if v.Model != "" {
		parts = append(parts, draw.Truncate(v.Model, 30))
	}
	if v.Style != "" && v.Style != "bullets" {
		parts = append(parts, draw.Truncate(v.Style, 20))
	}
	if v.Edited() {
		parts = append(parts, "edited "+draw.AgoWords(v.EditedAt))
	}
	if read := readWords(v); read != "" {
		parts = append(parts, read)
	}
	switch {
	case p.merged == v.ID:
		parts = append(parts, "in the running recap")
	case p.merged != "":
		parts = append(parts, "the running recap contains "+p.label(p.merged)+"; "+pane.PathTo(p.host, recapMerge)+
			" merges this one")
	}
	if x := v.RecallTest; x != nil && len(x.Questions) > 0 {
		parts = append(parts, fmt.Sprintf("recall %d/%d", len(x.Questions)-len(x.Lost()), len(x.Questions)))
	}
	if i := p.shown(); p.pick != "" && !p.choices.Busy && i != p.view.Current && p.view.Current >= 0 {
		parts = append(parts, fmt.Sprintf("v%d is current", p.view.Current+1))
	}
	return strings.Join(parts, " · ")
}

func (p *recapPane) label(id storage.RecapID) string {
	for i, v := range p.view.Versions {
		if v.ID == id {
			return fmt.Sprintf("v%d", i+1)
		}
	}
	return "another"
}
