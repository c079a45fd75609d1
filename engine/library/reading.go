package library

import (
	"slices"
	"strings"

	"ghostlight/engine/core"
	"ghostlight/storage"
)

// FindCharacter finds a character by its id, a unique prefix of it, its name or
// its nickname.
func (svc *Service) FindCharacter(ref string) (storage.Character, error) {
	return core.Find(svc.core, "character", ref, storage.Characters, func(c storage.Character) (string, string) { return c.Card.Name, c.Card.Nickname })
}

// FindPersona finds a persona by its id, a unique prefix of it, or its name.
func (svc *Service) FindPersona(ref string) (storage.Persona, error) {
	return core.Find(svc.core, "persona", ref, storage.Personas, func(p storage.Persona) (string, string) { return p.Name, "" })
}

// Characters lists the characters by name.
func (svc *Service) Characters() ([]storage.Character, error) {
	out, err := core.All(svc.core, "characters", storage.Characters)
	slices.SortStableFunc(out, func(a, b storage.Character) int {
		return strings.Compare(strings.ToLower(a.Card.Name), strings.ToLower(b.Card.Name))
	})
	return out, err
}

// Personas lists the personas, the default one first.
func (svc *Service) Personas() ([]storage.Persona, error) {
	out, err := core.All(svc.core, "personas", storage.Personas)
	slices.SortStableFunc(out, func(a, b storage.Persona) int {
		if a.Default != b.Default {
			if a.Default {
				return -1
			}
			return 1
		}
		return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	})
	return out, err
}
