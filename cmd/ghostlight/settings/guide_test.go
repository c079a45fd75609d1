package settings

import (
	"reflect"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/tui/guide"
)

// The guide's TOML blocks are together a valid config file that names every setting.
func TestGuide_Settings(t *testing.T) {
	block := guide.ConfigFile()
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
