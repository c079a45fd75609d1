package settings

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/tui/guide"
)

// The kinds of settings.
const (
	KindSwitch  = config.SettingSwitch
	KindChoice  = config.SettingChoice
	KindInteger = config.SettingInteger
	KindNumber  = config.SettingNumber
	KindText    = config.SettingText
	KindList    = config.SettingList
)

// choices are the values that a setting can have, in the order in which they are offered.
var choices = map[string][]string{
	"scenes.scene_recap_message_types": {"user", "character", "both"},
	"scenes.style":                     RecapStyles,
	"memory.mode": {string(config.MemoryRunning), string(config.MemoryScenes),
		string(config.MemoryShort)},
	"memory.role":    {"system", "user", "assistant"},
	"ollama.think":   {"true", "false", "low", "medium", "high"},
	"lore.strategy":  strategyWords,
	"lore.placement": placementWords,
	"voice.cut":      cutWords,
	"voice.length":   lengthWords,
	"ui.dark":        {"auto", "dark", "light"},
	"ui.images":      {"auto", "kitty", "sixel", "iterm", "blocks", "off"},
}

// restarting are the settings that the program reads when it starts.
var restarting = []string{"ollama.url", "ollama.headers", "ollama.keep_alive", "ollama.give_up_after",
	"comfyui.urls", "comfyui.headers", "comfyui.api_key", "ui.plain"}

// list returns all settings with their values in force and their defaults. given reports whether
// the config file sets a setting.
func (s Settings) list(inForce, standard Settings, given func(name string) bool) (list []config.Setting) {
	words := explained()
	sections, now, plain := reflect.TypeFor[Settings](), reflect.ValueOf(inForce), reflect.ValueOf(standard)
	for i := range sections.NumField() {
		section := tagName(sections.Field(i))
		add := func(name, kind string, now, standard reflect.Value) {
			is := config.Setting{Name: name, Section: section, SectionPurpose: words[section], Purpose: words[name],
				Kind: kind, Choices: choicesOf(name, kind),
				Value: shown(now), Default: shown(standard), Source: config.FromDefault,
				Restart: slices.Contains(restarting, name)}
			if len(is.Choices) > 0 && kind == KindText {
				is.Kind = KindChoice
			}
			if is.Purpose == "" { // a name of the user's own
				is.Purpose = words[name[:strings.LastIndexByte(name, '.')]]
			}
			if given(name) {
				is.Source = config.FromFile
			}
			list = append(list, is)
		}
		switch sections.Field(i).Type.Kind() {
		case reflect.Struct:
			addSection(section, now.Field(i), plain.Field(i), add)
		case reflect.Map:
			addMap(section, KindList, now.Field(i), plain.Field(i), nil, add)
		}
	}
	return list
}

type adding func(name, kind string, now, standard reflect.Value)

func addSection(section string, now, standard reflect.Value, add adding) {
	for j := range now.NumField() {
		name := section + "." + tagName(now.Type().Field(j))
		kind := kindOf(now.Field(j).Type())
		if now.Field(j).Kind() == reflect.Map {
			addMap(name, KindText, now.Field(j), standard.Field(j), now.FieldByName("Types"), add)
			continue
		}
		add(name, kind, now.Field(j), standard.Field(j))
	}
}

// addMap adds the settings whose names are the user's own: those that are set, and
// those that could be.
func addMap(section, kind string, now, standard reflect.Value, more any, add adding) {
	var names []string
	for _, k := range now.MapKeys() {
		names = append(names, k.String())
	}
	if v, ok := more.(reflect.Value); ok && v.IsValid() {
		for _, name := range v.Interface().([]string) {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	for _, name := range names {
		k := reflect.ValueOf(name)
		add(section+"."+name, kind, now.MapIndex(k), standard.MapIndex(k))
	}
}

func tagName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("toml"), ",")
	return name
}

func kindOf(t reflect.Type) string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Bool:
		return KindSwitch
	case reflect.Int:
		return KindInteger
	case reflect.Float64:
		return KindNumber
	case reflect.Slice:
		return KindList
	}
	return KindText
}

func choicesOf(name, kind string) []string {
	switch {
	case strings.HasPrefix(name, "lore.review."):
		return reviewWords
	case kind == KindSwitch:
		return []string{"true", "false"}
	}
	return append([]string{}, choices[name]...)
}

// shown returns the text of a value, as it is displayed and entered; "" for none.
func shown(v reflect.Value) string {
	if v.IsValid() && v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if !v.IsValid() || v.Kind() == reflect.Interface && v.IsNil() {
		return ""
	}
	switch x := v.Interface().(type) {
	case float64:
		return strconv.FormatFloat(x, 'g', -1, 64)
	case []string:
		for _, s := range x {
			if strings.ContainsAny(s, ",[\"\n") || strings.TrimSpace(s) != s || s == "" {
				parts := make([]string, len(x))
				for i, s := range x {
					parts[i] = quoted(s)
				}
				return "[" + strings.Join(parts, ", ") + "]"
			}
		}
		return strings.Join(x, ", ")
	}
	return fmt.Sprint(v.Interface())
}

// explained returns what the guide's config files say about each section and setting.
func explained() map[string]string {
	out := map[string]string{}
	section := ""
	for line := range strings.Lines(guide.ConfigFile()) {
		line = strings.TrimPrefix(strings.TrimSpace(line), "# ")
		head, words, _ := strings.Cut(line, " # ")
		name, _, isKey := strings.Cut(head, " = ")
		switch {
		case strings.HasPrefix(line, "["):
			section = strings.Trim(strings.TrimSpace(head), "[]")
			out[section] = strings.TrimSpace(words)
		case isKey:
			out[section+"."+strings.TrimSpace(name)] = strings.TrimSpace(words)
		}
	}
	return out
}
