import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { MAX_LENGTH } from '#rules/shared-limits.ts'
import { call } from '../../api/call.ts'
import * as settingsCss from '../../forms/settings.module.css'
import { toAppError } from '../../store/app-error.ts'
import { updateOrganization, useOrganization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import * as css from './alert-words.module.css'

const show = ({ alert_words }: { alert_words: string[] }) => updateOrganization(() => ({ alert_words }))

export function AlertWords(): ReactNode {
  const { alert_words: text } = useOrganization('alert_words')
  const removing = useMutation({
    mutationFn: (word: string) => call('DELETE /users/me/alert_words', { alert_words: [word] }),
    onSuccess: show,
  })
  return (
    <section
      className={`${settingsCss.settingsGroup} ${settingsCss.settingsForm}`}
      aria-labelledby="alert-words"
      data-setting="alert-words"
    >
      <h2 id="alert-words">{t('Alert words')}</h2>
      <p className="soft">
        {t(
          'Messages with these words are highlighted and notify you like mentions, unless you muted the channel or topic. Applies to messages sent after you add a word.',
        )}
      </p>
      {text.length === 0 ? (
        <p>{t('No alert words yet.')}</p>
      ) : (
        <ul className={css.alertWordList} aria-label={t('Alert words')}>
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
        <ErrorNotice title={t('Couldn’t remove the word')} error={toAppError(removing.error)} />
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
    onSuccess(answer, given) {
      show(answer)
      // The user may have typed another word meanwhile.
      setWord((now) => (now.trim() === given ? '' : now))
    },
  })

  function submit(event: FormEvent) {
    event.preventDefault()
    const given = word.trim()
    if (isPending) return
    const isKnown = text.some((known) => known.toLowerCase() === given.toLowerCase())
    if (given === '') setProblem(t('Enter a word.'))
    else if (isKnown) setProblem(t('You already have this word.'))
    else mutate(given)
  }

  return (
    <form onSubmit={submit} noValidate>
      <TextField
        label={t('Add a word')}
        autoComplete="off"
        value={word}
        maxLength={MAX_LENGTH.alertWord}
        description={t('A word or phrase. Not case-sensitive.')}
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
