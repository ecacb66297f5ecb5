import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { call } from '../../../api/call.ts'
import { toAppError } from '../../../store/app-error.ts'
import { t } from '../../../text/t.ts'
import { NameForm } from './name-form.tsx'
import { refreshSnippets } from './snippets.ts'

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
      <p className="snippet-text soft small">{text}</p>
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
