import Plus from 'lucide-react/icons/plus'
import { type ReactNode, useRef, useState } from 'react'
import { t } from '../../../text/t.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import { TextField } from '../../../ui/fields/field.tsx'
import { RowMenu } from '../../../ui/table/row-menu.tsx'
import type { FieldChoice } from '../../profile-fields/field.ts'
import { moveItem } from '../linkifiers/linkifier.ts'
import { withNewChoice } from './field-draft.ts'

/** The editor for the options of a field. */
export function ChoicesField(props: {
  choices: readonly FieldChoice[]
  /** The saved options. */
  before: readonly FieldChoice[]
  error: string | null
  onChange: (choices: readonly FieldChoice[]) => void
}): ReactNode {
  const { choices, before, error, onChange } = props
  const [added, setAdded] = useState<string | null>(null)
  const fieldset = useRef<HTMLFieldSetElement>(null)
  const isLost = before.some(({ key }) => !choices.some((choice) => choice.key === key && choice.text.trim() !== ''))

  function add() {
    const more = withNewChoice(choices, before)
    setAdded(more.at(-1)!.key)
    onChange(more)
  }

  function remove(at: number) {
    onChange(choices.toSpliced(at, 1))
    // The menu that removed the option has closed, and its button is gone.
    requestAnimationFrame(() => fieldset.current?.focus())
  }

  const actsOn = (at: number) => [
    ...(at > 0 ? [{ label: t('Move up'), run: () => onChange(moveItem(choices, at, -1)) }] : []),
    ...(at < choices.length - 1 ? [{ label: t('Move down'), run: () => onChange(moveItem(choices, at, 1)) }] : []),
    { label: t('Remove'), run: () => remove(at), isDanger: true },
  ]

  return (
    <fieldset ref={fieldset} className="choices-field" tabIndex={-1}>
      <legend className="field-label">{t('Options')}</legend>
      {choices.map(({ key, text }, at) => (
        <TextField
          key={key}
          label={t('Option {value}', { value: at + 1 })}
          isLabelHidden
          autoComplete="off"
          autoFocus={key === added}
          value={text}
          onChange={(value) => onChange(choices.with(at, { key, text: value }))}
          after={<RowMenu label={t('Actions for option {value}', { value: at + 1 })} items={actsOn(at)} />}
        />
      ))}
      {error !== null && (
        <p className="field-error" role="alert">
          {error}
        </p>
      )}
      {isLost && <p className="field-description">{t('Removing an option clears it from profiles.')}</p>}
      <div>
        <Button icon={<Plus className="icon" aria-hidden="true" />} onPress={add}>
          {t('Add option')}
        </Button>
      </div>
    </fieldset>
  )
}
