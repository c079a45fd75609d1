package director

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/settings"
	"github.com/ghostlight-theatre/ghostlight/engine/ecosystem"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// episodeFields are all of an episode that its user can set, under the names of
// --from and --json; the tag flag is the name of the flag, help what it says.
// What is unset is as in every episode.
type episodeFields struct {
	Title         string   `json:"title" flag:"title" help:"call it TEXT"`
	Situation     string   `json:"situation" flag:"situation" help:"where everybody is and what is going on: TEXT"`
	Frame         string   `json:"frame" flag:"frame" help:"how the story is told here: TEXT"`
	Question      string   `json:"dramatic_question" flag:"question" help:"what the play explores: TEXT"`
	Resolutions   []string `json:"resolution_types" flag:"resolution" help:"how it may end: KIND, which is positive, neutral, negative or surprise; repeatable"`
	Objective     string   `json:"objective" flag:"objective" help:"what the character wants: TEXT"`
	Obstacle      string   `json:"obstacle" flag:"obstacle" help:"what stands in the way: TEXT"`
	Tactic        string   `json:"tactic" flag:"tactic" help:"how the character goes about it: TEXT"`
	Genre         string   `json:"genre" flag:"genre" help:"TEXT in place of the series' genre"`
	Opening       string   `json:"opening_line" flag:"opening" help:"the first message: TEXT, in place of the character's greeting"`
	TurnBudget    int      `json:"turn_budget" flag:"turn-budget" help:"it is complete after N exchanges; 0: no limit"`
	SceneMode     string   `json:"auto_scene_mode" flag:"scene-mode" help:"when automatic pictures are made: MODE, which is off, peaks or rhythmic"`
	SceneInterval int      `json:"scene_interval" flag:"scene-interval" help:"exchanges between pictures where the mode is rhythmic: N; 0: the default"`
	SceneCost     *int     `json:"scene_cost,omitempty" flag:"scene-cost" help:"sparks that such a picture costs: N; -1: the default"`
}

// sceneModes are the values of auto_scene_mode.
var sceneModes = []string{string(storage.ScenesOff), string(storage.ScenesPeaks), string(storage.ScenesRhythmic)}

func episodeFieldsOf(ep storage.Episode) episodeFields {
	return episodeFields{ep.Title, ep.Situation, ep.Frame, ep.Question, ep.Resolutions, ep.Objective, ep.Obstacle, ep.Tactic, ep.Genre, ep.Opening,
		ep.TurnBudget, string(ep.SceneMode), ep.SceneInterval, ep.SceneCost}
}

// put writes the fields into an episode, or says which cannot be.
func (f episodeFields) put(ep *storage.Episode) error {
	switch {
	case strings.TrimSpace(f.Title) == "":
		return cli.UsageError("an episode needs a title: --title")
	case f.TurnBudget < 0 || f.TurnBudget > settings.MostTurns:
		return cli.UsageError(fmt.Sprintf("turn_budget must be a number of exchanges from 0 to %d, not %d", settings.MostTurns, f.TurnBudget))
	case f.SceneMode != "" && !slices.Contains(sceneModes, f.SceneMode):
		return cli.UsageError(fmt.Sprintf("auto_scene_mode must be off, peaks or rhythmic, not %q", cli.Clip(f.SceneMode, cli.ColumnWidth)))
	case f.SceneInterval < 0 || f.SceneInterval > settings.MostTurns:
		return cli.UsageError(fmt.Sprintf("scene_interval must be a number of exchanges from 0 to %d, not %d", settings.MostTurns, f.SceneInterval))
	case f.SceneCost != nil && (*f.SceneCost < -1 || *f.SceneCost > settings.MostSparks):
		return cli.UsageError(fmt.Sprintf("scene_cost must be a number of sparks from 0 to %d, or -1 for the default, not %d", settings.MostSparks, *f.SceneCost))
	}
	for i, r := range f.Resolutions {
		if !slices.Contains(storage.Resolutions, r) {
			return cli.UsageError(fmt.Sprintf("resolution_types must be from %s, not %q", strings.Join(storage.Resolutions, ", "), cli.Clip(r, cli.ColumnWidth)))
		}
		if slices.Contains(f.Resolutions[:i], r) {
			return cli.UsageError(fmt.Sprintf("resolution_types name %q twice", r))
		}
	}
	if err := cli.CheckTitle(f.Title); err != nil {
		return err
	}
	if f.SceneCost != nil && *f.SceneCost < 0 {
		f.SceneCost = nil
	}
	ep.Title, ep.Situation, ep.Frame, ep.Question, ep.Resolutions, ep.Objective, ep.Obstacle, ep.Tactic, ep.Genre, ep.Opening = f.Title, f.Situation,
		f.Frame, f.Question, f.Resolutions, f.Objective, f.Obstacle, f.Tactic, f.Genre, f.Opening
	ep.TurnBudget, ep.SceneMode, ep.SceneInterval, ep.SceneCost = f.TurnBudget, storage.SceneMode(f.SceneMode), f.SceneInterval, f.SceneCost
	return nil
}

// episodeFlags are what the commands that write an episode take.
type episodeFlags struct {
	said episodeFields
	file string
}

func (f *episodeFlags) add(c *cobra.Command) {
	f.said.SceneCost = new(int)
	v, flags := reflect.ValueOf(&f.said).Elem(), c.Flags()
	for i := range v.NumField() {
		tag := v.Type().Field(i).Tag
		name, help := tag.Get("flag"), tag.Get("help")
		for _, value := range []string{"TEXT", "KIND", "MODE", "N"} { // the library takes the value's name from what is quoted
			if at := indexWord(help, value); at >= 0 {
				help = help[:at] + "`" + value + "`" + help[at+len(value):]
				break
			}
		}
		switch at := v.Field(i).Addr().Interface().(type) {
		case *string:
			flags.StringVar(at, name, "", help)
		case *[]string:
			flags.StringArrayVar(at, name, nil, help)
		case *int:
			flags.IntVar(at, name, 0, help)
		case **int:
			flags.IntVar(*at, name, 0, help)
		}
	}
	flags.StringVar(&f.file, "from", "", "read the fields from the JSON object in `FILE`, as printed by episode show --json (- reads standard input)")
}

// indexWord is where a word stands in a text, -1 for nowhere.
func indexWord(text, word string) int {
	at := 0
	for w := range strings.FieldsSeq(text) {
		at += strings.Index(text[at:], w)
		if strings.TrimRight(w, ",;:.") == word {
			return at
		}
		at += len(w)
	}
	return -1
}

// given reports whether any of the flags was said.
func (f *episodeFlags) given(c *cobra.Command) bool {
	t := reflect.TypeFor[episodeFields]()
	for i := range t.NumField() {
		if c.Flags().Changed(t.Field(i).Tag.Get("flag")) {
			return true
		}
	}
	return f.file != ""
}

// apply changes an episode as file and flags say; flags win. Texts may be @FILE,
// or - for standard input. A single empty --resolution takes all away.
func (f *episodeFlags) apply(app *cli.App, c *cobra.Command, ep *storage.Episode) error {
	fields := episodeFieldsOf(*ep)
	if f.file != "" {
		text, err := app.FileArg(f.file)
		if err != nil {
			return err
		}
		name := f.file
		if name == "-" {
			name = "standard input"
		}
		if err := fields.fromJSON([]byte(text)); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	from, to := reflect.ValueOf(&f.said).Elem(), reflect.ValueOf(&fields).Elem()
	for i := range from.NumField() {
		if !c.Flags().Changed(from.Type().Field(i).Tag.Get("flag")) {
			continue
		}
		to.Field(i).Set(from.Field(i))
		if at, ok := to.Field(i).Addr().Interface().(*string); ok {
			text, err := app.ValueArg(*at)
			if err != nil {
				return err
			}
			*at = text
		}
	}
	if len(fields.Resolutions) == 1 && fields.Resolutions[0] == "" {
		fields.Resolutions = nil
	}
	return fields.put(ep)
}

// episodeReadOnly are the names of what episode show prints beside the fields: a
// file that was made of its document may hold them.
var episodeReadOnly = []string{"id", "series", "series_title", "number", "created_at", "updated_at"}

// fromJSON takes the fields of a JSON object, and leaves others as they are.
func (f *episodeFields) fromJSON(data []byte) error {
	var doc map[string]json.RawMessage
	data = cli.TrimBOM(data)
	if err := json.Unmarshal(data, &doc); err != nil || doc == nil {
		return cli.UsageError("an episode is a JSON object with the fields of episode show --json, but " + ecosystem.JSONFault(data, err))
	}
	if name, ok := ecosystem.RepeatedKey(data); ok {
		return cli.UsageError(cli.Clip(name, cli.ColumnWidth) + " is duplicated; remove one of them")
	}
	names := make([]string, 0, len(doc))
	for name := range doc {
		names = append(names, name)
	}
	slices.Sort(names) // so that of several faults always the same is told
	v := reflect.ValueOf(f).Elem()
	for _, name := range names {
		if slices.Contains(episodeReadOnly, name) {
			continue
		}
		i := slices.Index(episodeFieldNames(), name)
		if i < 0 {
			return cli.UsageError(fmt.Sprintf("an episode has no field %q; the fields are %s", cli.Clip(name, cli.ColumnWidth), strings.Join(episodeFieldNames(), ", ")))
		}
		at, raw := v.Field(i), doc[name]
		if string(raw) == "null" && at.Kind() == reflect.Pointer {
			at.SetZero()
		} else if string(raw) == "null" || holdsNull(raw) || json.Unmarshal(raw, at.Addr().Interface()) != nil {
			return cli.UsageError(fmt.Sprintf("%s must be %s, not %s", name, cli.JSONKind(at.Type()), cli.Clip(string(raw), cli.ColumnWidth)))
		}
	}
	return nil
}

// holdsNull reports whether a list holds null, which would be read as "".
func holdsNull(raw json.RawMessage) bool {
	var list []*json.RawMessage
	return json.Unmarshal(raw, &list) == nil && slices.Contains(list, nil)
}

// episodeFieldNames are the names of all fields, in the order of an episode.
func episodeFieldNames() []string {
	t := reflect.TypeFor[episodeFields]()
	names := make([]string, t.NumField())
	for i := range names {
		names[i], _, _ = strings.Cut(t.Field(i).Tag.Get("json"), ",")
	}
	return names
}
