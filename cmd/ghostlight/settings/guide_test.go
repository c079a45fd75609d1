package settings

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

// The settings in the guide are a config file, and name every setting.
func TestGuide_Settings(t *testing.T) {
	text, err := os.ReadFile("../../../tui/guide/settings.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, ok := strings.Cut(string(text), "```toml\n")
	block, _, closed := strings.Cut(block, "```")
	if !ok || !closed {
		t.Fatal("the guide shows no config file")
	}
	if _, err := parse("tui/guide/settings.md", []byte(block)); err != nil {
		t.Error(err)
	}
	sections := reflect.TypeFor[Settings]()
	for i := range sections.NumField() {
		section := sections.Field(i)
		if name := tomlName(section); name != "-" && !strings.Contains(block, "["+name+"]") {
			t.Errorf("the guide shows no [%s]", name)
		}
		if section.Type.Kind() != reflect.Struct {
			continue
		}
		for j := range section.Type.NumField() {
			if name := tomlName(section.Type.Field(j)); !strings.Contains(block, name) {
				t.Errorf("the guide does not name the setting %s", name)
			}
		}
	}
}

func tomlName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("toml"), ",")
	return name
}
