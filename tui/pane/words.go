package pane

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/boards/storyboard"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
)

// Errors of forms with missing values.
var (
	ErrNeedsName = errors.New("enter a name")
	ErrNeedsText = errors.New("nothing to save")
)

// ToolWords returns the name of a storyboard's tool, while it works or in the history of calls.
func ToolWords(tool string) string {
	switch tool {
	case storyboard.RecommendBeats:
		return "key beats"
	case storyboard.RecommendFiller:
		return "filler strategy"
	case storyboard.BudgetPackages:
		return "budget"
	case storyboard.GeneratePackage:
		return "shots for a beat"
	case storyboard.GenerateShots:
		return "shots in order"
	case storyboard.ProposeEdit:
		return "proposal"
	case storyboard.ExecuteEdit:
		return "proposal applied"
	case storyboard.ModifyShot:
		return "shot changed"
	case storyboard.InsertShot:
		return "shot inserted"
	case storyboard.RemoveShots:
		return "shots removed"
	case storyboard.ReorderShots:
		return "shots moved"
	case storyboard.MergeShots:
		return "shots merged"
	case storyboard.ConfirmShots:
		return "confirmed"
	case storyboard.ImportBoard:
		return "read from a file"
	case "steer":
		return "steering"
	}
	return draw.Truncate(strings.ReplaceAll(tool, "_", " "), 40)
}

// FloatText returns an optional number in a field, "" for none.
func FloatText(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'g', -1, 64)
}

// IntText returns an optional whole number in a field, "" for none.
func IntText(v *int) string {
	if v == nil {
		return ""
	}
	return strconv.Itoa(*v)
}

// EntryCount returns a number of lorebook entries, in words.
func EntryCount(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return strconv.Itoa(n) + " entries"
}

// IsGroup reports whether more than one character plays in the open chat.
func IsGroup(d Host) bool {
	return slices.ContainsFunc(d.Play().Chat().Chat.Play.Cast, func(m storage.CastMember) bool { return !m.Left })
}

// Truncate returns draw.Truncate of a text in which macros are replaced by the names of the open chat.
// It is for rows about cards, lorebooks and texts made from them. The text itself does not change.
func Truncate(d Host, text string, n int) string { return draw.Truncate(Named(d, text, n), n) }

// Named returns the beginning of a text, enough for n cells, with macros replaced by the names of
// the open chat.
func Named(d Host, text string, n int) string {
	if most := 16 * max(0, n); len(text) > most {
		text = strings.ToValidUTF8(text[:most], "")
	}
	v := d.Play().Chat()
	if v.Chat.ID == "" { // no chat is open
		return text
	}
	return chats.Named(text, v.Character.Card, v.Persona)
}
