import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { call } from '../../../api/call.ts'
import { toAppError } from '../../../store/app-error.ts'
import { updateOrganization, useOrganization } from '../../../store/organization.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import { ErrorNotice } from '../../../ui/feedback/error-notice.tsx'
import { TextField } from '../../../ui/fields/field.tsx'
import './alert-words.css'
import { t } from '../../../text/t.ts'

const show = ({ alert_words }: { alert_words: string[] }) => updateOrganization(() => ({ alert_words }))

/** The words that one wants to be told of wherever they are said. */
export function AlertWords(): ReactNode {
  const { alert_words: text } = useOrganization()
  const removing = useMutation({
    mutationFn: (word: string) => call('DELETE /users/me/alert_words', { alert_words: [word] }),
    onSuccess: show,
  })
  return (
    <section className="card settings-card" aria-labelledby="alert-words">
      <h2 id="alert-words">{t('Alert words')}</h2>
      <p className="soft">
        {t(
          'Where one of these words is said, it is marked, and you are told of it on the screen and by sound as of a mention, unless you muted the channel or the topic. Words count from when you add them.',
        )}
      </p>
      {text.length === 0 ? (
        <p>{t('You have no alert words yet.')}</p>
      ) : (
        <ul className="alert-word-list" aria-label={t('Alert words')}>
          {text.map((word) => (
            <li key={word}>
              <span dir="auto">{word}</span>
              <Button
                kind="quiet"
                aria-label={t('Remove {word}', { word })}
                isPending={removing.isPending && removing.variables === word}
                onPress={() => removing.mutate(word)}
              >
                {t('Remove')}
              </Button>
            </li>
          ))}
        </ul>
      )}
      {removing.error !== null && (
        <ErrorNotice title={t('The word was not removed')} trouble={toAppError(removing.error)} />
      )}
      <NewWord words={text} />
    </section>
  )
}

function NewWord({ words: text }: { words: readonly string[] }): ReactNode {
  const [word, setWord] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: (given: string) => call('POST /users/me/alert_words', { alert_words: [given] }),
    onSuccess(answer) {
      show(answer)
      setWord('')
    },
  })

  function submit(event: FormEvent) {
    event.preventDefault()
    const given = word.trim()
    if (isPending) return
    const isKnown = text.some((known) => known.toLowerCase() === given.toLowerCase())
    if (given === '') setProblem(t('Say which word.'))
    else if (isKnown) setProblem(t('You have this word already.'))
    else mutate(given)
  }

  return (
    <form onSubmit={submit} noValidate>
      <TextField
        label={t('Another word')}
        autoComplete="off"
        value={word}
        maxLength={100}
        description={t('Some words together are fine, too. Case does not matter.')}
        error={problem ?? (error === null ? null : toAppError(error).message)}
        onChange={(value) => {
          setWord(value)
          setProblem(null)
          reset()
        }}
        after={
          <Button type="submit" isPending={isPending}>
            {t('Add')}
          </Button>
        }
      />
    </form>
  )
}
