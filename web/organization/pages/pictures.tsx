import { useMutation } from '@tanstack/react-query'
import ImageUp from 'lucide-react/icons/image-up'
import { type ReactNode, useId, useRef, useState } from 'react'
import { MAX_PICTURE_MEBIBYTES } from '#rules/shared-limits.ts'
import { call, upload } from '../../api/call.ts'
import { SaveStatus } from '../../forms/setting-row.tsx'
import * as settingsCss from '../../forms/settings.module.css'
import { toAppError } from '../../store/app-error.ts'
import { useOrganization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/button.tsx'
import * as css from './pictures.module.css'

type PictureKind = 'icon' | 'logo' | 'night_logo'

/** A picture of the organization. Uploads a chosen file immediately, and shows the result or the error. */
function PictureField(props: {
  kind: PictureKind
  label: string
  description: string
  /** Null if none was uploaded. */
  url: string | null
}): ReactNode {
  const { kind, label, description, url } = props
  const [problem, setProblem] = useState<string | null>(null)
  const input = useRef<HTMLInputElement>(null)
  const uploadButton = useRef<HTMLDivElement>(null)
  const descriptionId = useId()
  const { mutate, isPending, isSuccess, error } = useMutation({
    mutationFn: (file: File | null) => (file === null ? remove(kind) : save(kind, file)),
    onSuccess(_, file) {
      // The button that was pressed has disappeared.
      if (file === null) uploadButton.current?.querySelector('button')?.focus()
    },
  })
  const shown = problem ?? (error === null ? null : toAppError(error).message)

  function take(file: File | undefined) {
    if (file === undefined) return
    const found = findProblem(file)
    setProblem(found)
    if (found === null) mutate(file)
  }

  return (
    <fieldset className={css.organizationPicture} aria-describedby={descriptionId}>
      <legend className="field-label">{label}</legend>
      <p className="field-description" id={descriptionId}>
        {description}
      </p>
      {url !== null && (
        <img
          className={
            kind === 'night_logo' ? `${css.organizationPictureShown} ${css.isNight}` : css.organizationPictureShown
          }
          src={url}
          alt={label}
        />
      )}
      {shown !== null && (
        <p className="field-error" role="alert">
          {shown}
        </p>
      )}
      <div className="row" ref={uploadButton}>
        <input
          ref={input}
          type="file"
          accept="image/png,image/jpeg,image/gif,image/webp"
          aria-label={label}
          hidden
          onChange={({ currentTarget }) => {
            take(currentTarget.files?.[0])
            currentTarget.value = ''
          }}
        />
        <Button
          icon={<ImageUp className="icon" aria-hidden="true" />}
          isPending={isPending}
          aria-label={url === null ? t('Upload: {label}', { label }) : t('Replace: {label}', { label })}
          onPress={() => input.current?.click()}
        >
          {url === null ? t('Upload') : t('Replace')}
        </Button>
        {url !== null && (
          <Button
            kind="quiet"
            aria-label={t('Remove: {label}', { label })}
            onPress={() => {
              setProblem(null)
              mutate(null)
            }}
          >
            {t('Remove')}
          </Button>
        )}
        <SaveStatus state={isPending ? 'saving' : isSuccess && shown === null ? 'saved' : 'idle'} />
      </div>
    </fieldset>
  )
}

/** Returns the reason why the server would refuse the file; null if the client knows none. */
function findProblem({ name, size, type }: File): string | null {
  if (!/^image\/(png|jpeg|gif|webp)$/.test(type))
    return t('{name} isn’t a supported image. Choose a PNG, JPEG, GIF or WebP file.', { name })
  if (size > MAX_PICTURE_MEBIBYTES * 2 ** 20)
    return t('{name} is larger than {max} MiB. Choose a smaller image.', { name, max: MAX_PICTURE_MEBIBYTES })
  return null
}

const save = (kind: PictureKind, file: File): Promise<unknown> =>
  kind === 'icon'
    ? upload('POST /realm/icon', file)
    : upload('POST /realm/logo', file, { params: { night: String(kind === 'night_logo') } })

const remove = (kind: PictureKind): Promise<unknown> =>
  kind === 'icon' ? call('DELETE /realm/icon') : call('DELETE /realm/logo', { night: kind === 'night_logo' })

/** Uploads and removes the organization's icon and logos. */
export function OrganizationPictures(): ReactNode {
  const organization = useOrganization()
  const { realm_icon_source, realm_icon_url, realm_logo_source, realm_logo_url } = organization
  const { realm_night_logo_source, realm_night_logo_url } = organization
  return (
    <section
      className={`${settingsCss.settingsGroup} ${settingsCss.settingsForm}`}
      aria-labelledby="organization-pictures"
    >
      <h2 id="organization-pictures">{t('Icon and logo')}</h2>
      <PictureField
        kind="icon"
        label={t('Icon')}
        description={t(
          'The icon appears in the sidebar, on the login page, in browser tabs and on home screens. It is cropped to a square.',
        )}
        url={realm_icon_source === 'U' ? realm_icon_url : null}
      />
      <PictureField
        kind="logo"
        label={t('Logo')}
        description={t(
          'Replaces the icon and the name in the sidebar. The logo can be at most 8 times as wide as it is tall.',
        )}
        url={realm_logo_source === 'U' ? realm_logo_url : null}
      />
      <PictureField
        kind="night_logo"
        label={t('Logo for the dark theme')}
        description={t('If not set, the dark theme uses the main logo.')}
        url={realm_night_logo_source === 'U' ? realm_night_logo_url : null}
      />
    </section>
  )
}
