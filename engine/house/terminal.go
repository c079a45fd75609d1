package house

const settingTerminal = "terminal"

// RememberTerminal keeps how the screen shows pictures on its terminal, in words;
// Terminal gives it back where there is no terminal to be asked.
func (svc *Service) RememberTerminal(words string) error {
	return svc.PutSetting(settingTerminal, words)
}

// Terminal is what the screen found about its terminal when it ran last, "" when
// it has not run.
func (svc *Service) Terminal() string { return svc.Setting(settingTerminal) }
