import { queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useRef, useState } from 'react'
import { MAX_LENGTH } from '#rules/shared-limits.ts'
import { type AnswerOf, call } from '../../api/call.ts'
import { toAppError } from '../../store/app-error.ts'
import { queryClient, SNIPPETS_KEY } from '../../store/query-client.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { focusFirst } from '../../ui/error-summary.tsx'
import { TextField } from '../../ui/field.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { Loading } from '../../ui/page-states.tsx'
import { RowMenu } from '../../ui/row-menu.tsx'
import * as css from './snippets.module.css'

export type Snippet = AnswerOf<'GET /saved_snippets'>['saved_snippets'][number]

/** The user's snippets, sorted by name. */
export const ownSnippets = queryOptions({
  queryKey: SNIPPETS_KEY,
  queryFn: async ({ signal }) => (await call('GET /saved_snippets', {}, { signal })).saved_snippets.sort(byName),
})

export const refreshSnippets = () => queryClient.invalidateQueries({ queryKey: SNIPPETS_KEY })

const { compare } = new Intl.Collator(undefined, { sensitivity: 'base', numeric: true })

const byName = (one: Snippet, other: Snippet) => compare(one.title, other.title) || one.id - other.id

export function NameForm(props: {
  label: string
  name: string
  onName: (name: string) => void
  /** The error of the last submit. */
  error: string | null
  isPending: boolean
  onSubmit: (name: string) => void
  /** Called on cancel; omitted if the form can't be canceled. */
  onCancel?: () => void
}): ReactNode {
  const { label, name, onName, error, isPending, onSubmit, onCancel } = props
  const [isMissing, setMissing] = useState(false)
  const form = useRef<HTMLFormElement>(null)

  function submit(event: FormEvent) {
    event.preventDefault()
    // React bubbles the event to the form of the message.
    event.stopPropagation()
    if (isPending) return
    const isEmpty = name.trim() === ''
    setMissing(isEmpty)
    if (isEmpty) focusFirst(form.current, { name: '' })
    else onSubmit(name.trim())
  }

  return (
    <form ref={form} className={css.snippetForm} noValidate onSubmit={submit}>
      <TextField
        label={label}
        name="name"
        autoComplete="off"
        autoFocus={onCancel !== undefined}
        maxLength={MAX_LENGTH.snippetTitle}
        value={name}
        error={isMissing ? t('Enter a name.') : error}
        onChange={(value) => {
          setMissing(false)
          onName(value)
        }}
      />
      <div className="row">
        <Button type="submit" isPending={isPending}>
          {t('Save')}
        </Button>
        {onCancel !== undefined && (
          <Button kind="quiet" onPress={onCancel}>
            {t('Cancel')}
          </Button>
        )}
      </div>
    </form>
  )
}

/** Saves the text of the compose box as a snippet. */
export function NewSnippet({ text }: { text: string }): ReactNode {
  const [name, setName] = useState('')
  const { mutate, isPending, isSuccess, error, reset } = useMutation({
    mutationFn: (title: string) => call('POST /saved_snippets', { title, content: text }),
    onSuccess: refreshSnippets,
  })
  return (
    <section className="stack" aria-labelledby="new-snippet">
      <h3 id="new-snippet">{t('Save as snippet')}</h3>
      <p className={`${css.snippetText} soft small`}>{text}</p>
      <div role="status">{isSuccess && <p>{t('Snippet saved.')}</p>}</div>
      {!isSuccess && (
        <NameForm
          label={t('Snippet name')}
          name={name}
          onName={(value) => {
            setName(value)
            reset()
          }}
          error={error === null ? null : toAppError(error).message}
          isPending={isPending}
          onSubmit={mutate}
        />
      )}
    </section>
  )
}

export function SnippetRow({ snippet, onInsert }: { snippet: Snippet; onInsert: () => void }): ReactNode {
  const { title, content } = snippet
  const [action, setAct] = useState<'rename' | 'delete' | null>(null)
  const end = () => setAct(null)
  return (
    <li>
      {action === 'rename' ? (
        <Renaming snippet={snippet} onEnd={end} />
      ) : (
        <>
          <b className={css.snippetName} dir="auto">
            {title}
          </b>
          <Button aria-label={t('Insert {title}', { title })} onPress={onInsert}>
            {t('Insert')}
          </Button>
          <RowMenu
            label={t('Actions for {title}', { title })}
            items={[
              { label: t('Rename'), run: () => setAct('rename') },
              { label: t('Delete'), run: () => setAct('delete'), isDanger: true },
            ]}
          />
        </>
      )}
      <p className={`${css.snippetText} soft small`} dir="auto">
        {content}
      </p>
      {action === 'delete' && <Deleting snippet={snippet} onEnd={end} />}
    </li>
  )
}

type PartProps = { snippet: Snippet; onEnd: () => void }

function Renaming({ snippet, onEnd }: PartProps): ReactNode {
  const [name, setName] = useState(snippet.title)
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: (title: string) =>
      call('PATCH /saved_snippets/{saved_snippet_id}', { saved_snippet_id: snippet.id, title }),
    async onSuccess() {
      await refreshSnippets()
      onEnd()
    },
  })
  return (
    <div className={css.snippetWide}>
      <NameForm
        label={t('New name for {title}', { title: snippet.title })}
        name={name}
        onName={(value) => {
          setName(value)
          reset()
        }}
        error={error === null ? null : toAppError(error).message}
        isPending={isPending}
        onSubmit={mutate}
        onCancel={onEnd}
      />
    </div>
  )
}

function Deleting({ snippet, onEnd }: PartProps): ReactNode {
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call('DELETE /saved_snippets/{saved_snippet_id}', { saved_snippet_id: snippet.id }),
    onSuccess: refreshSnippets,
  })
  return (
    <div className={`${css.snippetWide} stack`} role="alert">
      {error !== null && <ErrorNotice title={t('Couldn’t delete the snippet')} error={toAppError(error)} />}
      <div className="row">
        <span>{t('Delete permanently?')}</span>
        <Button autoFocus onPress={onEnd}>
          {t('Cancel')}
        </Button>
        <Button kind="danger" isPending={isPending} onPress={() => mutate()}>
          {t('Delete')}
        </Button>
      </div>
    </div>
  )
}

/** The list of the user's snippets, with controls to insert, add, rename and delete them. */
export function SnippetsDialog(props: {
  /** The text of the compose box. */
  text: string
  onInsert: (content: string) => void
  onClose: () => void
}): ReactNode {
  const { text, onInsert, onClose } = props
  const { data, error, refetch } = useQuery(ownSnippets)
  return (
    <Dialog title={t('Saved snippets')} isOpen onClose={onClose}>
      <div className="dialog-body">
        {error !== null ? (
          <ErrorNotice error={toAppError(error)} onRetry={() => void refetch()} />
        ) : data === undefined ? (
          <Loading label={t('Loading snippets')} />
        ) : data.length === 0 ? (
          <p>{t('No snippets yet. Save text you write often.')}</p>
        ) : (
          <ul className={css.snippets} aria-label={t('Saved snippets')}>
            {data.map((snippet) => (
              <SnippetRow key={snippet.id} snippet={snippet} onInsert={() => onInsert(snippet.content)} />
            ))}
          </ul>
        )}
        {text.trim() === '' ? (
          <p className="soft small">{t('To save a snippet, write it as a message first, then open this dialog.')}</p>
        ) : (
          <NewSnippet text={text} />
        )}
      </div>
    </Dialog>
  )
}
