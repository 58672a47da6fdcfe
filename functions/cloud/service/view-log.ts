import type { ViewShown } from '../../engine/views/publisher.ts';
import { VIEW_WARNING_SHARE } from '../../model/views.ts';
import { describeWindow } from '../../model/windows.ts';
import type { Log } from './log.ts';

/** Notes how large a view has become, as a warning from four fifths of its budget on; log-based metrics read these lines. */
export function logView(log: Log, { view, window, elements, bytes, maxBytes }: ViewShown): void {
  const share = bytes / maxBytes;
  const details = { view: { window: describeWindow(window), elements, bytes, maxBytes, share } };
  if (share < VIEW_WARNING_SHARE) log.info('a view has changed', { stage: view, details });
  else
    log.warning('a view is near its budget, above which it stops changing; millrace doctor says what to do', {
      stage: view,
      details,
    });
}
