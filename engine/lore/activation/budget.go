package activation

// applyBudget lets hits trigger if chance and budget allow it, and returns the hits whose content
// is scanned recursively. The cost is the sum over the contents, each with its final newline, not a
// count of the joined text: the tokens that a tokenizer merges across two entries are not worth a
// recount for each entry.
func (r *run) applyBudget(hits []*candidate) (spoken []*candidate) {
	cost := 0
	for _, c := range hits {
		late := r.overBudget && !c.item.e.IgnoreBudget // nothing is rolled for it any more
		if !late && !r.passesChance(c) {
			c.failed = true
			continue
		}
		r.prepare(c)
		r.trace(c, r.view(c.item))
		if !c.item.e.PreventRecursion {
			spoken = append(spoken, c)
		}
		if late {
			c.verdict, c.why = CutByBudget, r.budgetReason(c, true)
			continue
		}
		cost += c.tokens
		if !c.item.e.IgnoreBudget && r.budget > 0 && r.carry+cost >= r.budget {
			r.overBudget = true
			c.verdict, c.why = CutByBudget, r.budgetReason(c, false)
			continue
		}
		r.trigger(c)
	}
	if isEmptyRound(spoken) {
		return spoken
	}
	for _, c := range spoken {
		r.carry += c.tokens
	}
	return spoken
}

// isEmptyRound reports whether the contents of a round come to no text at all.
func isEmptyRound(spoken []*candidate) bool {
	return len(spoken) == 0 || len(spoken) == 1 && spoken[0].text == ""
}

// passesChance reports whether chance lets the entry trigger.
func (r *run) passesChance(c *candidate) bool {
	p, on := c.item.chance()
	if !on || p == 100 || c.sticky {
		return true
	}
	roll := r.in.Random() * 100
	if roll <= p {
		return true
	}
	c.verdict, c.why = FailedChance, chanceReason(roll, p)
	return false
}

// prepare sets the entry's text as it goes into the prompt.
func (r *run) prepare(c *candidate) {
	if c.ready {
		return
	}
	c.ready = true
	c.text = c.item.content()
	if r.in.Expand != nil && hasMacro(c.text) {
		c.text = r.in.Expand(c.text)
	}
	if r.in.Count != nil {
		c.tokens = r.in.Count(c.text + "\n")
	} else {
		c.tokens = (len(c.text) + 1 + 3) / 4
	}
}

func (r *run) trigger(c *candidate) {
	c.active, c.verdict, c.round = true, Triggered, r.steps
	c.at, c.turn = c.item.place(), len(r.active)
	r.used += c.tokens
	r.active = append(r.active, c)
}
