package themes

import (
	"bytes"
	"errors"
	"fmt"
	"image/color"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/pelletier/go-toml/v2"
)

// document is a theme file.
type document struct {
	Title string `toml:"title"`
	About string `toml:"about"`
	Base  string `toml:"base"`
	// Narration is "upright" or "italic", "" for that of the base.
	Narration string            `toml:"narration"`
	Colors    map[string]string `toml:"colors"`
	Dark      map[string]string `toml:"dark"`
	Light     map[string]string `toml:"light"`
}

// parse makes a theme from a file's text. Values that the file leaves out come from its base, which
// is one of bases: the one it names, else the one it replaces, else the first. The returned theme
// has no name if the file is not TOML.
func parse(name, path string, data []byte, bases Set) (Theme, []error) {
	var doc document
	dec := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields()
	var faults []error
	if err := dec.Decode(&doc); err != nil {
		var unknown *toml.StrictMissingError
		if !errors.As(err, &unknown) {
			return Theme{}, []error{errorAt(path, err)}
		}
		for i := range unknown.Errors {
			e := &unknown.Errors[i]
			row, _ := e.Position()
			faults = append(faults, fmt.Errorf("themes: %s:%d: %s: unknown key", path, row, strings.Join(e.Key(), ".")))
		}
	}
	base, err := pickBase(name, doc.Base, bases)
	if err != nil {
		faults = append(faults, fmt.Errorf("themes: %s: base: %w", path, err))
	}
	t := Theme{Name: name, Title: doc.Title, About: doc.About, dark: base.dark, light: base.light}
	if t.Title == "" {
		t.Title = name
	}
	switch doc.Narration {
	case "":
	case "upright", "italic":
		t.dark.ItalicNarration = doc.Narration == "italic"
		t.light.ItalicNarration = t.dark.ItalicNarration
	default:
		faults = append(faults, fmt.Errorf("themes: %s: narration: %q is neither upright nor italic", path,
			doc.Narration))
	}
	colors, errs := namedColors(path, doc.Colors)
	faults = append(faults, errs...)
	faults = append(faults, applyColors(&t.dark, path, "dark", doc.Dark, colors)...)
	faults = append(faults, applyColors(&t.light, path, "light", doc.Light, colors)...)
	return t, faults
}

// errorAt adds file, line and column to a decoding error.
func errorAt(path string, err error) error {
	var bad *toml.DecodeError
	if errors.As(err, &bad) {
		row, col := bad.Position()
		if key := strings.Join(bad.Key(), "."); key != "" {
			return fmt.Errorf("themes: %s:%d:%d: %s: %w", path, row, col, key, err)
		}
		return fmt.Errorf("themes: %s:%d:%d: %w", path, row, col, err)
	}
	return fmt.Errorf("themes: %s: %w", path, err)
}

// pickBase returns the base theme; for an unknown name it is the first one, with an error.
func pickBase(name, wanted string, bases Set) (Theme, error) {
	if wanted != "" {
		if t, ok := bases.Find(wanted); ok {
			return t, nil
		}
		return bases[0], fmt.Errorf("no built-in theme %q (there are: %s)", wanted, strings.Join(bases.Names(), ", "))
	}
	if t, ok := bases.Find(name); ok {
		return t, nil
	}
	return bases[0], nil
}

// namedColors reads the [colors] table.
func namedColors(path string, table map[string]string) (map[string]color.Color, []error) {
	colors := make(map[string]color.Color, len(table))
	var faults []error
	for _, name := range sortedKeys(table) {
		c, err := parseColor(table[name])
		if err != nil {
			faults = append(faults, fmt.Errorf("themes: %s: colors.%s: %w", path, name, err))
			continue
		}
		colors[name] = c
	}
	return colors, faults
}

// applyColors sets the colours of one variant.
func applyColors(p *Palette, path, variant string, table map[string]string, colors map[string]color.Color) []error {
	var faults []error
	for _, role := range sortedKeys(table) {
		slot := p.slot(role)
		if slot == nil {
			faults = append(faults, fmt.Errorf("themes: %s: %s.%s: no such role (roles: %s)", path, variant, role,
				strings.Join(roles[:], ", ")))
			continue
		}
		c, ok := colors[table[role]]
		if !ok {
			var err error
			if c, err = parseColor(table[role]); err != nil {
				faults = append(faults, fmt.Errorf("themes: %s: %s.%s: %w", path, variant, role, err))
				continue
			}
		}
		*slot = c
	}
	return faults
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// parseColor parses "#rgb", "#rrggbb" or the number of a terminal colour.
func parseColor(s string) (color.Color, error) {
	if hex, ok := strings.CutPrefix(s, "#"); ok && (len(hex) == 3 || len(hex) == 6) {
		if n, err := strconv.ParseUint(hex, 16, 32); err == nil {
			if len(hex) == 3 {
				n = n&0xf00*0x1100 + n&0xf0*0x110 + n&0xf*0x11
			}
			//nolint:gosec // the bytes of a 24-bit number
			return color.RGBA{R: uint8(n >> 16), G: uint8(n >> 8), B: uint8(n), A: 0xff}, nil
		}
	}
	if n, err := strconv.ParseUint(s, 10, 8); err == nil {
		if n < 16 {
			return ansi.BasicColor(n), nil
		}
		return ansi.IndexedColor(n), nil
	}
	return nil, fmt.Errorf("bad colour %q: want a name from [colors], \"#rgb\", \"#rrggbb\" or \"0\" to \"255\"", s)
}
