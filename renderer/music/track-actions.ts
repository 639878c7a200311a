// What can be done with tracks that another room of the window does: the window puts it in, menus and lists offer it
// when it is there.
import { createContext, useContext } from 'react';

export interface TrackActions {
  /** Opens the details of a track, for reading or at once for editing. */
  onDetails?: (trackId: number, options?: { edit?: boolean }) => void;
}

export const TrackActionsContext = createContext<TrackActions>({});
export const useTrackActions = (): TrackActions => useContext(TrackActionsContext);
