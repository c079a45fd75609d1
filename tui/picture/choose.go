package picture

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Mode is a way to draw pictures on the screen.
type Mode string

// The modes, which are also the settings that force them. Auto means that the terminal's answers
// decide.
const (
	Auto   Mode = "auto"
	Kitty  Mode = "kitty"
	Sixel  Mode = "sixel"
	ITerm  Mode = "iterm"
	Blocks Mode = "blocks"
	Off    Mode = "off"
)

// Modes returns all values of the setting.
func Modes() []string {
	return []string{string(Auto), string(Kitty), string(Sixel), string(ITerm), string(Blocks), string(Off)}
}

// Cell is the size of a terminal's cell in pixels. The zero value is unknown.
type Cell struct{ W, H int }

// Known reports whether the size is plausible.
func (c Cell) Known() bool { return c.W >= 1 && c.W <= 200 && c.H >= 1 && c.H <= 400 }

// Aspect returns the ratio of height to width, [CellAspect] if it is unknown.
func (c Cell) Aspect() float64 {
	if !c.Known() {
		return CellAspect
	}
	return float64(c.H) / float64(c.W)
}

// defaultCell is the cell size assumed by terminals that draw Sixel with a virtual cell size.
var defaultCell = Cell{10, 20}

// OrDefault returns the size, or a common one if it is unknown.
func (c Cell) OrDefault() Cell {
	if !c.Known() {
		return defaultCell
	}
	return c
}

// Answers holds a terminal's answers to [Queries].
type Answers struct {
	// Fenced means that it answered the last query, which all terminals answer. It will not answer
	// the others any more.
	Fenced     bool
	Attributes []int  // primary device attributes
	Version    string // its name and version, as it writes them
	Kitty      bool   // it supports Kitty graphics
	Cell       Cell
	TrueColor  bool // not asked for: it comes from the environment
	Tmux       Tmux
}

// Tmux is what tmux reports about the terminal around it. The zero value means that tmux was not
// asked, or did not answer.
type Tmux struct {
	Asked       bool
	Terminal    string   // the outer terminal's name and version, as it writes them
	Features    []string // of the outer terminal
	Passthrough bool     // sequences may be passed on to the outer terminal
}

// TmuxFormat is the format that tmux prints, in one line, for [ParseTmux].
const TmuxFormat = "#{client_termtype}\t#{client_termfeatures}\t#{allow-passthrough}"

// ParseTmux parses the output of tmux.
func ParseTmux(out string) Tmux {
	parts := strings.Split(strings.TrimRight(out, "\r\n"), "\t")
	if len(parts) != 3 {
		return Tmux{}
	}
	return Tmux{Asked: true, Terminal: parts[0], Features: strings.Split(parts[1], ","),
		Passthrough: parts[2] == "on" || parts[2] == "all" || parts[2] == "1"}
}

// Queries returns the sequences that query a terminal for [Answers]. The last one is answered by
// every terminal.
func Queries() string {
	return Query() + ansi.RequestNameVersion + ansi.WindowOp(16) + ansi.WindowOp(14) +
		ansi.RequestPrimaryDeviceAttributes
}

// Multiplexed reports whether the terminal is tmux, which has to be asked about the terminal
// around it.
func (a Answers) Multiplexed() bool { return strings.HasPrefix(a.Version, "tmux ") }

// Passthrough reports whether Kitty's sequences must be wrapped for a multiplexer.
func (a Answers) Passthrough() bool { return a.Multiplexed() }

// sixelAttribute is the device attribute for Sixel graphics.
const sixelAttribute = 4

func (a Answers) sixel() bool { return slices.Contains(a.Attributes, sixelAttribute) }

// Choose chooses the mode: forced, or by the terminal's answers. why describes the reason. The
// default is half blocks, which every terminal can show.
func Choose(a Answers, forced Mode) (mode Mode, why string) {
	if forced != Auto && forced != "" {
		if slices.Contains(Modes(), string(forced)) {
			return forced, "set by ui.images"
		}
		return Blocks, fmt.Sprintf("ui.images is %q, must be one of %s", forced, strings.Join(Modes(), ", "))
	}
	if !a.Fenced {
		return Blocks, "the terminal did not report its features"
	}
	if a.Multiplexed() {
		return a.inTmux()
	}
	name, version := split(a.Version)
	switch {
	case a.Kitty && placeholders(name, version) && a.TrueColor:
		return Kitty, "the terminal supports Kitty graphics with placeholder cells" + a.terminalName()
	case name == "iterm2" || name == "wezterm":
		return ITerm, "the terminal supports inline images" + a.terminalName()
	case a.sixel() && a.Cell.Known():
		return Sixel, fmt.Sprintf("the terminal reports Sixel, with cells of %d×%d pixels%s", a.Cell.W, a.Cell.H,
			a.terminalName())
	}
	return Blocks, a.unsupportedReason(name, version)
}

// unsupportedReason returns the reason why real pictures are not possible.
func (a Answers) unsupportedReason(name string, version []int) string {
	var parts []string
	switch {
	case a.sixel():
		parts = append(parts, "the terminal reports Sixel but not its cell size")
	default:
		parts = append(parts, "the terminal does not report Sixel")
	}
	switch {
	case a.Kitty && placeholders(name, version):
		parts = append(parts, "it supports Kitty graphics, but not the colours that placeholder cells need")
	case a.Kitty:
		parts = append(parts, "it answered the Kitty query but is not known to support placeholder cells")
	default:
		parts = append(parts, "did not answer the Kitty query")
	}
	return strings.Join(parts, " and ") + a.terminalName()
}

// inTmux chooses the mode inside tmux. Its own device attributes include Sixel even if the
// terminal around it has none, and it then draws a box of letters. So tmux is asked about that
// terminal.
func (a Answers) inTmux() (Mode, string) {
	t := a.Tmux
	if !t.Asked {
		return Blocks, "tmux did not report the outer terminal" + a.terminalName()
	}
	around := " (" + a.Version + " in " + orUnknown(t.Terminal) + ")"
	known := placeholders(split(t.Terminal))
	switch {
	case known && t.Passthrough && a.TrueColor:
		return Kitty, "the outer terminal supports Kitty's placeholder cells, and tmux passes them through" + around
	case a.sixel() && slices.Contains(t.Features, "sixel") && a.Cell.Known():
		return Sixel, "tmux and the outer terminal support Sixel" + around
	case known && t.Passthrough:
		return Blocks, "tmux does not have the colours that placeholder cells need" + around
	case known:
		return Blocks, "tmux does not pass Kitty's sequences through; its option allow-passthrough is off" + around
	case a.sixel():
		return Blocks, "tmux supports Sixel, but it does not know that the outer terminal does" + around
	}
	return Blocks, "tmux does not report Sixel, and the outer terminal is not known to support placeholder cells" +
		around
}

func orUnknown(name string) string {
	if name == "" {
		return "unknown terminal"
	}
	return name
}

// terminalName returns the terminal's name, for the end of a sentence.
func (a Answers) terminalName() string {
	if a.Version == "" {
		return "; name unknown"
	}
	return "; name: " + a.Version
}

// placeholders reports whether a terminal shows Kitty's pictures in placeholder cells. The
// graphics query does not ask for that, and some terminals accept it that show the bare
// characters.
func placeholders(name string, version []int) bool {
	switch name {
	case "kitty":
		return slices.Compare(version, []int{0, 28}) >= 0
	case "ghostty":
		return true
	}
	return false
}

// split splits a terminal's name and version: "kitty(0.35.2)", "WezTerm 20240203-110809", "tmux
// 3.4".
func split(s string) (name string, version []int) {
	end := strings.IndexAny(s, "( ")
	if end < 0 {
		end = len(s)
	}
	rest := strings.Trim(s[end:], "() ")
	for part := range strings.SplitSeq(rest, ".") {
		digits := 0
		for digits < len(part) && part[digits] >= '0' && part[digits] <= '9' {
			digits++
		}
		n, err := strconv.Atoi(part[:digits])
		if err != nil || len(version) == 4 {
			break
		}
		version = append(version, n)
	}
	return strings.ToLower(s[:end]), version
}
