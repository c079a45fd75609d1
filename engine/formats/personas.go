package formats

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

const (
	maxPersonas     = 10_000
	maxPersonasFile = 64 << 20
)

// ImportedPersona is a persona of another program. File is the name of its picture, which is not
// in the backup.
type ImportedPersona struct {
	Name, Description, File string
	Default                 bool
}

// ReadPersonasFile reads a backup of personas, or those of a settings.json. Format facts from
// SillyTavern's public source (personas.js): {personas{file: name}, persona_descriptions {file:
// {description, position, depth, role, lorebook}}, default_persona}, in a settings.json under
// power_user. Errors wrap ErrDamaged, ErrTooLarge or ErrNotFile.
func ReadPersonasFile(path string) (list []ImportedPersona, warnings []string, err error) {
	data, err := readFile(path, maxPersonasFile)
	if err == nil {
		list, warnings, err = readPersonas(data)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read personas %s: %w", quotePath(path), err)
	}
	return list, warnings, nil
}

func readPersonas(data []byte) ([]ImportedPersona, []string, error) {
	if sniff(data) != "" {
		return nil, nil, wrongKind(ErrDamaged, "", data, "choose a backup of personas or a settings.json")
	}
	source, err := compact(data)
	if err != nil {
		return nil, nil, orChatFile(ErrDamaged, "", data, err)
	}
	root, _ := parseObject(source)
	home := root
	if power, ok := parseObject(root.get("power_user")); ok {
		home = power
	}
	names, ok := parseObject(home.get("personas"))
	if !ok {
		if words := root.traits().description(); words != "" && root.traits().kind() != KindPersonas {
			return nil, nil, wrapf(ErrDamaged, "%s", words)
		}
		return nil, nil, wrapf(ErrDamaged, "the file has no personas: choose a backup of personas or a settings.json")
	}
	if len(names.members) > maxPersonas {
		return nil, nil, wrapf(ErrTooLarge, "the file has more than %d personas", maxPersonas)
	}
	return personasOf(&home, &names)
}

func personasOf(home, names *object) (list []ImportedPersona, warnings []string, err error) {
	about, _ := parseObject(home.get("persona_descriptions"))
	standard, _ := text(home.get("default_persona"))
	var n warningList
	books := 0
	for _, m := range names.members {
		name, _ := text(m.raw)
		p := ImportedPersona{Name: strings.TrimSpace(name), File: m.key, Default: m.key == standard && standard != ""}
		more, ok := parseObject(about.get(m.key))
		if ok {
			p.Description, _ = text(more.get("description"))
		} else {
			p.Description, _ = text(about.get(m.key)) // as in early versions
		}
		switch {
		case p.Name == "" || len(p.Name) > maxName:
			n.add("the persona of %s was left out: its name is missing or too long", quoteShort(m.key))
			continue
		case len(p.Description) > MaxCardText:
			n.add("the persona %s was left out: its description has %s", quoteShort(p.Name),
				formatSize(len(p.Description)))
			continue
		}
		if more.firstText("lorebook") != "" {
			books++
		}
		list = append(list, p)
	}
	if len(list) == 0 {
		return nil, nil, wrapf(ErrDamaged, "the file has no persona with a name")
	}
	if books > 0 {
		n.add("lorebooks that personas name (%d) are not in the file: import them with --persona", books)
	}
	if len(list) > 0 && home.has("personas") {
		n.add("the pictures of personas are not in the file")
	}
	slices.SortStableFunc(list, func(x, y ImportedPersona) int {
		return cmp.Compare(strings.ToLower(x.Name), strings.ToLower(y.Name))
	})
	return list, n.lines(), nil
}
