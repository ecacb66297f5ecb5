import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { toAppError } from '../../../store/app-error.ts'
import { t } from '../../../text/t.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import { ComboField } from '../../../ui/fields/combo-field.tsx'
import type { Option } from '../../../ui/fields/option.tsx'
import './membership-list.css'

/** The groups or channels of a person, each with a button that removes the person, and a field to add more. */
export function MembershipList(props: {
  title: string
  /** The label of the field that adds a group or channel. */
  addLabel: string
  present: readonly Option<number>[]
  others: readonly Option<number>[]
  add: (id: number) => Promise<unknown>
  remove: (id: number) => Promise<unknown>
}): ReactNode {
  const { title, addLabel, present, others, add, remove } = props
  const { mutate, isPending, error, variables } = useMutation({
    mutationFn: ({ id, isAdded }: { id: number; isAdded: boolean }) => (isAdded ? add(id) : remove(id)),
  })
  return (
    <section className="stack membership" aria-label={title}>
      <h3>{title}</h3>
      {present.length === 0 ? (
        <p className="soft">{t('None')}</p>
      ) : (
        <ul>
          {present.map(({ id, label }) => (
            <li key={id}>
              <span dir="auto">{label}</span>
              <Button
                kind="quiet"
                aria-label={t('Remove from {name}', { name: label })}
                isPending={isPending && variables.id === id}
                onPress={() => !isPending && mutate({ id, isAdded: false })}
              >
                {t('Remove')}
              </Button>
            </li>
          ))}
        </ul>
      )}
      <ComboField
        key={present.length}
        label={addLabel}
        value={null}
        options={others}
        placeholder={t('Enter a name')}
        error={error === null ? null : toAppError(error).message}
        onChoose={(id) => mutate({ id, isAdded: true })}
      />
    </section>
  )
}
