import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { call } from '../../../api/call.ts'
import { toAppError } from '../../../store/app-error.ts'
import { t } from '../../../text/t.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import { ErrorNotice } from '../../../ui/feedback/error-notice.tsx'
import { RowMenu } from '../../../ui/table/row-menu.tsx'
import { NameForm } from './name-form.tsx'
import { refreshSnippets, type Snippet } from './snippets.ts'

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
          <b className="snippet-name" dir="auto">
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
      <p className="snippet-text soft small" dir="auto">
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
    <div className="snippet-wide">
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
    <div className="snippet-wide stack" role="alert">
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
