; Puts Tonearm under "Open with" of audio files and playlists without taking them from the program that opens them now:
; an entry below Applications with the types it takes is all that Windows asks for. "Send to" takes folders as well.
!define OPEN_WITH_KEY "Software\Classes\Applications\${APP_EXECUTABLE_FILENAME}"

!macro OPEN_WITH EXT
  WriteRegStr SHELL_CONTEXT "${OPEN_WITH_KEY}\SupportedTypes" ".${EXT}" ""
!macroend

!define SEND_TO "$SENDTO\${PRODUCT_NAME}.lnk"

!macro customInstall
  CreateShortCut "${SEND_TO}" "$INSTDIR\${APP_EXECUTABLE_FILENAME}"
  WriteRegStr SHELL_CONTEXT "${OPEN_WITH_KEY}" "FriendlyAppName" "${PRODUCT_NAME}"
  WriteRegStr SHELL_CONTEXT "${OPEN_WITH_KEY}\shell\open\command" "" '"$INSTDIR\${APP_EXECUTABLE_FILENAME}" "%1"'
  ; types of Windows, written by npm run file-types
  !insertmacro OPEN_WITH "m3u8"
  !insertmacro OPEN_WITH "m3u"
  !insertmacro OPEN_WITH "pls"
  !insertmacro OPEN_WITH "xspf"
  !insertmacro OPEN_WITH "mp3"
  !insertmacro OPEN_WITH "mp2"
  !insertmacro OPEN_WITH "mp1"
  !insertmacro OPEN_WITH "mpga"
  !insertmacro OPEN_WITH "flac"
  !insertmacro OPEN_WITH "ogg"
  !insertmacro OPEN_WITH "oga"
  !insertmacro OPEN_WITH "opus"
  !insertmacro OPEN_WITH "spx"
  !insertmacro OPEN_WITH "m4a"
  !insertmacro OPEN_WITH "m4b"
  !insertmacro OPEN_WITH "m4r"
  !insertmacro OPEN_WITH "wav"
  !insertmacro OPEN_WITH "wave"
  !insertmacro OPEN_WITH "rf64"
  !insertmacro OPEN_WITH "bwf"
  !insertmacro OPEN_WITH "aif"
  !insertmacro OPEN_WITH "aiff"
  !insertmacro OPEN_WITH "aifc"
  !insertmacro OPEN_WITH "aac"
  !insertmacro OPEN_WITH "adts"
  !insertmacro OPEN_WITH "wma"
  !insertmacro OPEN_WITH "ape"
  !insertmacro OPEN_WITH "wv"
  !insertmacro OPEN_WITH "mpc"
  !insertmacro OPEN_WITH "mp+"
  !insertmacro OPEN_WITH "mpp"
  !insertmacro OPEN_WITH "dsf"
  !insertmacro OPEN_WITH "dff"
  !insertmacro OPEN_WITH "mka"
  !insertmacro OPEN_WITH "weba"
  !insertmacro OPEN_WITH "tta"
  !insertmacro OPEN_WITH "tak"
  !insertmacro OPEN_WITH "w64"
  !insertmacro OPEN_WITH "caf"
  !insertmacro OPEN_WITH "ac3"
  !insertmacro OPEN_WITH "eac3"
  !insertmacro OPEN_WITH "ec3"
  !insertmacro OPEN_WITH "dts"
  !insertmacro OPEN_WITH "loas"
  !insertmacro OPEN_WITH "latm"
  ; end of types of Windows
!macroend

!macro customUnInstall
  Delete "${SEND_TO}"
  DeleteRegKey SHELL_CONTEXT "${OPEN_WITH_KEY}"
!macroend
