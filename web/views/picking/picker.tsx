import { type ClipboardEvent, type ReactNode, useEffect, useMemo, useRef } from 'react'
import { useOrganization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { ComboField } from '../../ui/fields/combo-field.tsx'
import { type PickedTag, PickedTags } from '../../ui/fields/picked-tags.tsx'
import { readAddresses } from '../invite/addresses.ts'
import { type PickerChoice, type PickerScope, pickerOptions, pickLabel, picksOf } from './picker-choices.ts'

/** A field to pick users, groups and channels. Pasted email addresses become picks of their users. */
export function Picker(props: {
  label: string
  description?: string
  offered: PickerScope
  picks: readonly PickerChoice[]
  /** Users that are not offered. */
  without?: ReadonlySet<number>
  /** Groups that are not offered. */
  withoutGroups?: ReadonlySet<number> | undefined
  onChange: (picks: readonly PickerChoice[]) => void
}): ReactNode {
  const { label, description, offered, picks, without, withoutGroups, onChange } = props
  const organization = useOrganization()
  const { groups, channels } = offered
  const all = useMemo(() => pickerOptions(organization, { groups, channels }), [organization, groups, channels])
  const options = useMemo(
    () =>
      all.filter(
        ({ id }) => !picks.includes(id) && !without?.has(idOf(id, 'person')) && !withoutGroups?.has(idOf(id, 'group')),
      ),
    [all, picks, without, withoutGroups],
  )
  const tags = picks.map(
    (id): PickedTag => ({
      id,
      label: pickLabel(organization, id),
      ...(id.startsWith('unknown:') && { remark: t('no account'), kind: 'danger' }),
    }),
  )
  const add = (more: readonly PickerChoice[]) => onChange([...new Set([...picks, ...more])])

  const field = useRef<HTMLDivElement>(null)
  const goesOn = useRef(false)
  useEffect(() => {
    if (goesOn.current) field.current?.querySelector('input')?.focus()
    goesOn.current = false
  }, [picks])

  function choose(choice: PickerChoice) {
    goesOn.current = true
    add([choice])
  }

  function onPaste(event: ClipboardEvent) {
    const text = event.clipboardData.getData('text/plain')
    if (!text.includes('@')) return
    event.preventDefault()
    add(picksOf(organization, readAddresses(text)))
  }

  return (
    <div className="stack" style={{ '--gap': '0.5rem' } as object}>
      <div ref={field} onPasteCapture={onPaste}>
        <ComboField
          // A new field after each choice, which is empty and no longer offers picked entries.
          key={picks.length}
          label={label}
          value={null}
          options={options}
          placeholder={t('Enter a name')}
          description={description}
          onChoose={choose}
        />
      </div>
      {tags.length > 0 && (
        <PickedTags
          label={t('Selected')}
          isLabelHidden
          tags={tags}
          onRemove={(removed) => onChange(picks.filter((pick) => !removed.has(pick)))}
        />
      )}
    </div>
  )
}

const idOf = (choice: PickerChoice, kind: 'person' | 'group') =>
  choice.startsWith(`${kind}:`) ? Number(choice.slice(kind.length + 1)) : -1
