package storyboard

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// TestSchemasAreBounded: a server makes a grammar of a schema, and without a bound
// a model can write for ever.
func TestSchemasAreBounded(t *testing.T) {
	t.Parallel()
	for _, tool := range Tools() {
		if found, ok := Find(tool.Name); !ok || found.Name != tool.Name || tool.Description == "" {
			t.Errorf("%s is not there", tool.Name)
		}
		if actionOf(tool.Name) == nil {
			t.Errorf("%s does nothing", tool.Name)
		}
		var v map[string]any
		if err := json.Unmarshal(tool.Params, &v); err != nil {
			t.Fatalf("%s: %v", tool.Name, err)
		}
		bounded(t, tool.Name, v)
	}
	if _, ok := Find("paint"); ok || len(Tools()) != 14 {
		t.Error("there are other tools")
	}
}

func bounded(t *testing.T, where string, v map[string]any) {
	switch v["type"] {
	case "string":
		if n, _ := v["maxLength"].(float64); v["enum"] == nil && (n < 1 || n > 2000) {
			t.Errorf("%s: a text of %v", where, n)
		}
	case "array":
		if v["maxItems"] == nil {
			t.Errorf("%s: a list without an end", where)
		}
		items, ok := v["items"].(map[string]any)
		if !ok {
			t.Errorf("%s: a list of anything", where)
		}
		bounded(t, where+"[]", items)
	case "object":
		if v["additionalProperties"] != false {
			t.Errorf("%s: an object with anything", where)
		}
		props, _ := v["properties"].(map[string]any)
		for name, p := range props {
			p, _ := p.(map[string]any)
			bounded(t, where+"."+name, p)
		}
	case "integer", "number":
		if v["minimum"] == nil || v["maximum"] == nil {
			t.Errorf("%s: a number without bounds", where)
		}
	case "boolean":
	default:
		list, _ := v["anyOf"].([]any)
		if len(list) == 0 {
			t.Errorf("%s: no type", where)
		}
		for _, p := range list {
			p, _ := p.(map[string]any)
			bounded(t, where, p)
		}
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ field, text, want string }{
		{FieldSize, "Extreme close-up", "extreme_close_up"}, {FieldSize, "ECU", "extreme_close_up"}, {FieldSize, " a CU shot ", "close_up"},
		{FieldSize, "MCU", "medium_close_up"}, {FieldSize, "MS", "medium"}, {FieldSize, "medium shot", "medium"}, {FieldSize, "W.S.", "wide"},
		{FieldSize, "WS", "wide"}, {FieldSize, "wide angle", "wide"}, {FieldSize, "Two-shot", "Two-shot"}, {FieldSize, "", ""},
		{FieldAngle, "Low-angle shot", "low"}, {FieldAngle, "bird's eye view", "overhead"}, {FieldAngle, "OTS", "over_the_shoulder"},
		{FieldMovement, "Slow push-in", "push_in"}, {FieldMovement, "Static camera", "static"}, {FieldJob, "Relationship pressure", "relationship_pressure"},
		{"subject", " a\tb ", "a b"}, {FieldJob, "hold\u202e the\x00 line", "hold the line"},
	} {
		if got := NormalizeWord(c.field, c.text); got != c.want {
			t.Errorf("%s %q: %q, want %q", c.field, c.text, got, c.want)
		}
	}
	for _, field := range []string{FieldSize, FieldAngle, FieldMovement, FieldJob} {
		seen := map[string]bool{}
		for _, w := range Choices(field) {
			for _, form := range []string{w.Key, w.Label} {
				if NormalizeWord(field, form) != w.Key {
					t.Errorf("%s %q means %q", field, form, NormalizeWord(field, form))
				}
			}
			if seen[w.Key] || Label(field, w.Key) != w.Label {
				t.Errorf("%s has %s twice or without a name", field, w.Key)
			}
			seen[w.Key] = true
		}
	}
	s := storage.Shot{Size: "ECU", Angle: "low", Movement: "push_in"}
	if c := Camera(s); c != (storage.Camera{Shot: "detail", Angle: "low"}) {
		t.Errorf("%+v", c)
	}
	if Camera(storage.Shot{Size: "two-shot", Angle: "pov"}) != (storage.Camera{}) {
		t.Error("a word that the camera does not know is left out")
	}
	if got := UnsetCameraText(storage.Shot{Size: "two-shot", Angle: "pov"}); got != "two-shot, Point of view" {
		t.Errorf("what the camera has no setting for is %q", got)
	}
	if UnsetCameraText(s) != "" || UnsetCameraText(storage.Shot{Size: "-"}) != "" {
		t.Error(UnsetCameraText(s))
	}
	if MotionText(s) == "" || MotionText(storage.Shot{Movement: "spiral"}) != "spiral" || MotionText(storage.Shot{}) != "" {
		t.Error(MotionText(s))
	}
}

// What a model is offered names every parameter, and is a fraction of the schemas.
func TestTool_Offer(t *testing.T) {
	whole, offered := 0, 0
	for _, tool := range Tools() {
		if !tool.Steering {
			continue
		}
		var full, short struct {
			Properties map[string]any `json:"properties"`
			Required   []string       `json:"required"`
		}
		for raw, into := range map[string]any{string(tool.Params): &full, string(tool.CompactParams()): &short} {
			if err := json.Unmarshal([]byte(raw), into); err != nil {
				t.Fatalf("%s: %v", tool.Name, err)
			}
		}
		if tool.Name == InsertShot { // the fields of one shot, beside its place
			full.Properties, full.Required = map[string]any{"before": nil, "after": nil}, []string{"description"}
			for _, f := range shotForms() {
				full.Properties[f.name] = nil
			}
		}
		if got, want := slices.Sorted(maps.Keys(short.Properties)), slices.Sorted(maps.Keys(full.Properties)); !slices.Equal(got, want) {
			t.Errorf("%s offers %q, want %q", tool.Name, got, want)
		}
		if !slices.Equal(short.Required, full.Required) {
			t.Errorf("%s requires %q, want %q", tool.Name, short.Required, full.Required)
		}
		whole, offered = whole+len(tool.Params), offered+len(tool.CompactParams())
	}
	if offered*2 > whole {
		t.Errorf("%d bytes are offered of %d", offered, whole)
	}
	t.Logf("%d bytes are offered of %d", offered, whole)
}
