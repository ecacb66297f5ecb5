import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { toAppError } from '../../../store/app-error.ts'
import { Dialog } from '../../../ui/dialog/dialog.tsx'
import { ErrorNotice } from '../../../ui/feedback/error-notice.tsx'
import { Loading } from '../../../ui/feedback/loading.tsx'
import { NewSnippet } from './new-snippet.tsx'
import { SnippetRow } from './snippet-row.tsx'
import { ownSnippets } from './snippets.ts'
import './snippets.css'
import { t } from '../../../text/t.ts'

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
          <ul className="snippets" aria-label={t('Saved snippets')}>
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
