import { useMutation } from '@tanstack/react-query'
import Plus from 'lucide-react/icons/plus'
import SquareCode from 'lucide-react/icons/square-code'
import { type ReactNode, useRef, useState } from 'react'
import { MAX_LENGTH } from '#rules/shared-limits.ts'
import { call } from '../../api/call.ts'
import * as settingsCss from '../../forms/settings.module.css'
import { decodeEntities, type HtmlNode, parseHtml } from '../../message-html/parse-html.ts'
import { toAppError } from '../../store/app-error.ts'
import { type Organization, useOrganization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogForm } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { Empty } from '../../ui/page-states.tsx'
import { showToast } from '../../ui/toasts.ts'
import { ConfirmRemovalDialog } from './editable-list.tsx'
import * as css from './linkifiers.module.css'

/** Returns the name that the server uses for a language, such as `Python` for `py`. */
async function fullLanguageName(name: string): Promise<string> {
  const { rendered } = await call('POST /messages/render', { content: `\`\`\`${name}\nx\n\`\`\`` })
  return languageIn(parseHtml(rendered, decodeEntities)) ?? name
}

function languageIn(nodes: readonly HtmlNode[]): string | undefined {
  const elements = nodes.filter((node) => typeof node !== 'string')
  return elements.map(({ attributes, children }) => attributes.get('data-code-language') ?? languageIn(children))[0]
}

const FIELDS = [
  {
    name: 'language',
    label: t('Language'),
    placeholder: t('Python'),
    description: t('The language name after ```.'),
    problem: t('Enter a language.'),
    max: MAX_LENGTH.playgroundLanguage,
  },
  {
    name: 'site',
    label: t('Name'),
    placeholder: t('Python playground'),
    description: undefined,
    problem: t('Enter a name.'),
    max: MAX_LENGTH.playgroundName,
  },
  {
    name: 'template',
    label: t('URL template'),
    placeholder: 'https://example.com/run?code={code}',
    description: t('Use {placeholder} for the code.', { placeholder: '{code}' }),
    problem: t('Enter a URL template.'),
    max: MAX_LENGTH.playgroundTemplate,
  },
] as const

type FieldName = (typeof FIELDS)[number]['name']
type Given = Record<FieldName, string>

/** Returns the field that an error is about; null if it is about none. */
function fieldOf(refusal: string): FieldName | null {
  if (/already exists/.test(refusal)) return 'site'
  if (/pygments language/.test(refusal)) return 'language'
  return /URL template/.test(refusal) ? 'template' : null
}

function NewPlaygroundDialog({ onClose }: { onClose: () => void }): ReactNode {
  const [given, setGiven] = useState<Given>({ language: '', site: '', template: '' })
  const [isChecked, setChecked] = useState(false)
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: async () =>
      call('POST /realm/playgrounds', {
        name: given.site.trim(),
        pygments_language: await fullLanguageName(given.language.trim()),
        url_template: given.template.trim(),
      }),
    onSuccess() {
      showToast(t('{name} added', { name: given.site.trim() }))
      onClose()
    },
  })
  const refusal = error === null ? null : toAppError(error)
  const refused = refusal === null ? null : fieldOf(refusal.message)
  const isMissing = (name: FieldName) => given[name].trim() === ''

  function submit() {
    setChecked(true)
    if (!FIELDS.some(({ name }) => isMissing(name))) mutate()
  }

  return (
    <Dialog title={t('Add playground')} isOpen onClose={onClose}>
      <DialogForm action={t('Add playground')} isPending={isPending} onSubmit={submit} onCancel={onClose}>
        {refusal !== null && refused === null && (
          <ErrorNotice title={t('Couldn’t add the playground')} error={refusal} />
        )}
        {FIELDS.map(({ name, label, placeholder, description, problem, max }) => (
          <TextField
            key={name}
            label={label}
            placeholder={placeholder}
            description={description}
            error={isChecked && isMissing(name) ? problem : refused === name ? (refusal?.message ?? null) : null}
            autoComplete="off"
            spellCheck="false"
            maxLength={max}
            value={given[name]}
            onChange={(value) => {
              setGiven({ ...given, [name]: value })
              reset()
            }}
          />
        ))}
      </DialogForm>
    </Dialog>
  )
}

type Playground = Organization['realm_playgrounds'][number]

export function Playgrounds(): ReactNode {
  const { realm_playgrounds } = useOrganization('realm_playgrounds')
  const [isAdding, setAdding] = useState(false)
  const [removed, setRemoved] = useState<Playground | null>(null)
  const section = useRef<HTMLElement>(null)
  const shown = realm_playgrounds.toSorted((one, other) =>
    `${one.pygments_language} ${one.name}`.localeCompare(`${other.pygments_language} ${other.name}`),
  )
  return (
    <section ref={section} className={settingsCss.settingsList} aria-label={t('Playgrounds')} tabIndex={-1}>
      <div>
        <Button kind="primary" icon={<Plus className="icon" aria-hidden="true" />} onPress={() => setAdding(true)}>
          {t('Add playground')}
        </Button>
      </div>
      {shown.length === 0 ? (
        <Empty icon={<SquareCode />} title={t('No playgrounds yet')}>
          <p>{t('Code blocks in a playground’s language get a button that opens the code there.')}</p>
        </Empty>
      ) : (
        <ul className={css.linkRules} aria-label={t('Playgrounds')}>
          {shown.map((playground) => (
            <li key={playground.id}>
              <span className={css.linkRule}>
                <span>
                  {playground.pygments_language}: {playground.name}
                </span>
                <span className="soft small">{playground.url_template}</span>
              </span>
              <Button
                kind="quiet"
                aria-label={t('Remove {name} for {language}', {
                  name: playground.name,
                  language: playground.pygments_language,
                })}
                onPress={() => setRemoved(playground)}
              >
                {t('Remove')}
              </Button>
            </li>
          ))}
        </ul>
      )}
      {isAdding && <NewPlaygroundDialog onClose={() => setAdding(false)} />}
      {removed !== null && (
        <ConfirmRemovalDialog
          name={removed.name}
          remove={() => call('DELETE /realm/playgrounds/{playground_id}', { playground_id: removed.id })}
          onClose={() => {
            setRemoved(null)
            // The button that opened the dialog may have been removed.
            requestAnimationFrame(() => section.current?.focus())
          }}
        >
          {t('{language} code in messages will no longer link to it.', {
            language: removed.pygments_language,
          })}
        </ConfirmRemovalDialog>
      )}
    </section>
  )
}
