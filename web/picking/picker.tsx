import { useMutation } from '@tanstack/react-query'
import UserPlus from 'lucide-react/icons/user-plus'
import {
  type ClipboardEvent,
  type ComponentProps,
  type FormEvent,
  type ReactNode,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import * as css from '../forms/settings.module.css'
import { toAppError } from '../store/app-error.ts'
import { useOrganization } from '../store/organization.ts'
import { queryClient } from '../store/query-client.ts'
import { useStoredState } from '../store/stored-state.ts'
import { channelSubscribers } from '../store/subscribers.ts'
import { t } from '../text/t.ts'
import { Button } from '../ui/button.tsx'
import { ComboField } from '../ui/combo-field.tsx'
import { ErrorNotice } from '../ui/notice.tsx'
import { type PickedTag, PickedTags } from '../ui/picked-tags.tsx'
import { showToast } from '../ui/toasts.ts'
import { readAddresses } from './addresses.ts'
import { Everyone } from './everyone.tsx'
import {
  type PickerChoice,
  type PickerScope,
  pickedAddresses,
  pickedIds,
  pickerOptions,
  pickLabel,
  picksOf,
} from './picker-choices.ts'

/** A field to pick users, groups and channels. Pasted email addresses become picks of their users. */
export function Picker(props: ComponentProps<typeof PickerOfEveryone>): ReactNode {
  return (
    <Everyone>
      <PickerOfEveryone {...props} />
    </Everyone>
  )
}

function PickerOfEveryone(props: {
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

/** A picker with an error below it. */
export function PickerField({ error, ...props }: ComponentProps<typeof Picker> & { error: string | null }): ReactNode {
  return (
    <div>
      <Picker {...props} />
      {error !== null && (
        <p className="field-error" role="alert">
          {error}
        </p>
      )}
    </div>
  )
}

/** Returns the ids of the subscribers of picked channels. */
export async function membersOfPicked(picks: readonly PickerChoice[]): Promise<number[]> {
  const lists = await Promise.all(
    pickedIds(picks, 'channel').map((id) => queryClient.fetchQuery(channelSubscribers(id))),
  )
  return lists.flat()
}

const NOBODY: { picks: readonly PickerChoice[] } = { picks: [] }

/** A form that adds users, groups and the subscribers of channels. It keeps the picks until they are added. */
export function AddPicked(props: {
  storageKey: string
  title: string
  label: string
  description: string
  action: string
  /** Users that are not offered. */
  without: ReadonlySet<number>
  /** Groups that are not offered. */
  withoutGroups?: ReadonlySet<number>
  /** Adds the picks. `inChannels` are the subscribers of the picked channels. Resolves to the text of the toast. */
  add: (picks: readonly PickerChoice[], inChannels: readonly number[]) => Promise<string>
}): ReactNode {
  const { storageKey, title, label, description, action, without, withoutGroups, add } = props
  const [{ picks }, keep, forget] = useStoredState(storageKey, () => NOBODY)
  const [problem, setProblem] = useState<string | null>(null)
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: async () => add(picks, await membersOfPicked(picks)),
    onSuccess(text) {
      forget()
      showToast(text)
    },
  })

  function submit(event: FormEvent) {
    event.preventDefault()
    if (isPending) return
    const found = problemWith(picks)
    setProblem(found)
    if (found === null) mutate()
  }

  return (
    <form className={css.settingsForm} aria-label={title} noValidate onSubmit={submit}>
      {error !== null && <ErrorNotice title={t('Couldn’t add anyone')} error={toAppError(error)} />}
      <Picker
        label={label}
        description={description}
        offered={{ groups: 'all', channels: true }}
        picks={picks}
        without={without}
        withoutGroups={withoutGroups}
        onChange={(picks) => {
          keep({ picks })
          setProblem(null)
          reset()
        }}
      />
      {problem !== null && (
        <p className="field-error" role="alert">
          {problem}
        </p>
      )}
      <div>
        <Button type="submit" isPending={isPending} icon={<UserPlus className="icon" aria-hidden="true" />}>
          {action}
        </Button>
      </div>
    </form>
  )
}

function problemWith(picks: readonly PickerChoice[]): string | null {
  const unknown = pickedAddresses(picks)
  if (unknown.length > 0) return t('Fix or remove unknown people: {names}', { names: unknown.join(', ') })
  return picks.length === 0 ? t('Choose at least one person.') : null
}
