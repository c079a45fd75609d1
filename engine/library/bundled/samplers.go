package bundled

import "github.com/ghostlight-theatre/ghostlight/storage"

// Samplers is a bundled sampler preset.
type Samplers struct {
	Why     string // what it is for
	Profile storage.Profile
}

// SettingsSamplers is the name of the preset without values: with it the settings apply.
const SettingsSamplers = "settings"

// SamplerPresets returns the bundled sampler presets. All but the first set every value, so that
// no other setting mixes in. They set top_k to 100 and leave the choice to min_p: sorting the
// whole of a large vocabulary for every token is slow.
func SamplerPresets() []Samplers {
	set := func(name, why string, temperature, minP, repeat float64) Samplers {
		return Samplers{why, storage.Profile{Name: name, Temperature: &temperature, MinP: &minP, TopP: pointer(1.0),
			TopK: pointer(100), TypicalP: pointer(1.0),
			RepeatPen: &repeat, RepeatLastN: pointer(64), PresencePen: pointer(0.0), FrequencyPen: pointer(0.0)}}
	}
	steady := set("steady", "for small models that lose track, and fact-heavy scenes", 0.6, 0.1, 1.05)
	fresh := set("fresh words", "for repetitive models: penalizes tokens from recent replies", 0.9, 0.05, 1.05)
	fresh.Profile.RepeatLastN, fresh.Profile.PresencePen, fresh.Profile.FrequencyPen = pointer(1024),
		pointer(0.3), pointer(0.2)
	classic := set("classic", "a common preset for older models and cards", 0.8, 0, 1.1)
	classic.Profile.TopP, classic.Profile.TopK = pointer(0.9), pointer(40)
	exact := set("exact", "the same reply each time, to compare cards, prompts and models", 0, 0, 1)
	exact.Profile.Seed, exact.Profile.TopK = pointer(1), pointer(1)
	return []Samplers{
		{"sets nothing: uses the model's settings, then the config file, then the model's defaults",
			storage.Profile{Name: SettingsSamplers}},
		steady,
		set("balanced", "a good start: varied but coherent", 0.8, 0.05, 1.05),
		set("lively", "more creative, for models of 12B and more; min_p filters nonsense", 1.1, 0.08, 1),
		set("wild", "very creative, for dreams or madness; can be incoherent", 1.5, 0.12, 1),
		fresh, classic, exact,
	}
}

func pointer[T any](v T) *T { return &v }
