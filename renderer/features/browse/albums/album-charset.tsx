// The charset of an album's tags whose encoding is unknown, displayed only if there are such tags, and changed for all
// of them.
import { NativeSelect } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { albumCharsetQuery, chooseCharset, LIBRARY } from '../../../api/library.ts';
import type { AlbumCharsetOut, AlbumOut } from '../../../api/routes.ts';
import { detailOf } from '../../../api/problem.ts';
import { useMayEdit } from '../../../music/use-may-edit.ts';
import { useUndoNotice } from '../../../ui/controls/undo-notice.tsx';
import '../../../i18n/page-texts.ts';
import styles from './album-charset.module.css';

type Charset = AlbumCharsetOut['charsets'][number];

export function AlbumCharset({ album }: { album: AlbumOut }) {
  const albumId = album.id;
  const mayEdit = useMayEdit(album);
  const { t } = useTranslation();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const notice = useUndoNotice();
  const query = useQuery({ ...albumCharsetQuery(albumId), enabled: mayEdit });
  const choose = useMutation({
    mutationFn: (charset: Charset) => chooseCharset(albumId, charset),
    async onSuccess({ album_id }) {
      await queries.invalidateQueries({ queryKey: [LIBRARY] });
      if (album_id !== null && album_id !== albumId)
        await navigate({ to: '/albums/$albumId', params: { albumId: album_id }, replace: true });
    },
    onError: (error) => notice.tell(detailOf(error)),
  });
  if (!query.data || query.data.charset === null) return null;
  const { charset, charsets, is_chosen } = query.data;
  return (
    <label className={styles.charset}>
      <span>{t(is_chosen ? 'album.charsetChosen' : 'album.charset')}</span>
      <NativeSelect
        size="xs"
        value={choose.isPending ? choose.variables : charset}
        disabled={choose.isPending}
        data={charsets.map((value) => ({ value, label: t(`charset.${value}`) }))}
        onChange={(event) => choose.mutate(event.currentTarget.value as Charset)}
      />
    </label>
  );
}
