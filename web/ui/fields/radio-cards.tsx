import type { ReactNode } from 'react'
import { Label } from 'react-aria-components/Label'
import { Radio, RadioGroup } from 'react-aria-components/RadioGroup'
import './field.css'
import './radio-cards.css'

export type Card = { id: string; label: string; hint: string; icon?: ReactNode }

/** A choice among a few options. Each option has an explanation. */
export function RadioCards(props: {
  label: string
  /** Null if nothing is chosen. If no card had the value, the keyboard could not reach any card. */
  value: string | null
  onChange: (value: string) => void
  cards: readonly Card[]
  isDisabled?: boolean
}): ReactNode {
  const { label, cards, ...group } = props
  return (
    <RadioGroup {...group} className="radio-cards">
      <Label className="field-label">{label}</Label>
      {cards.map(({ id, label, hint, icon }) => (
        <Radio key={id} value={id} className="radio-card">
          {icon}
          <span className="radio-card-text">
            <b>{label}</b>
            <span className="soft small">{hint}</span>
          </span>
        </Radio>
      ))}
    </RadioGroup>
  )
}
