"""The last two and three tricks of deals that the solver has played with itself."""

from __future__ import annotations

from typing import Final

from solver.positions import Position

LATE: Final = (
    Position(
        "3 tricks left, 660 deals fit: to lead, BQ DK DJ",
        "bolognese",
        1,
        2,
        "ANG MON T16 T13 T6 MAT SN S9 BQ B6 CQ CN CJ DK DJ",
        "- [BEG.SK.SJ.SA.BK.CK] T10 [] T11 [ANG.MON.T16.MAT.DK.DJ] MAT [MO1.MO2.MO3.MO4] MO2 B9 B6 B7 B10 SK S6 SN "
        "S8 BEG T5 MON MO4 ANG T8 T7 T9 T13 MO3 LUN T12 SA BJ S9 SQ C9 CK C7 CQ S10 CA T6 T15 C6 T14 D7 CJ SJ D8 T16 "
        "SOL C10 D9 B8 CN",
        "DK DJ",
    ),
    Position(
        "2 tricks left, 360 deals fit: to lead, C9 D7",
        "bolognese",
        2,
        0,
        "SOL T7 MO4 BEG S6 SA BJ B9 B8 B7 C8 C9 C10 DN D7",
        "- [] MO3 [] T7 [ANG.MON.MAT] MON [BK.CK.DK] T8 SJ S8 SK S6 T12 MO4 MAT T13 T5 MO1 SOL ANG C6 CK CA C8 T10 "
        "T11 BEG MO2 S10 SA S7 SQ T6 T14 B8 T15 BA BK BN BJ B6 T9 B7 BQ S9 B9 SN T16 B10 LUN C10 CJ D9 DN D8 DJ",
        "C9",
    ),
    Position(
        "2 tricks left, 240 deals fit: to lead, T5 SN",
        "bolognese",
        1,
        0,
        "ANG SOL T15 T12 T11 T5 MO2 MO3 SN SJ S9 B6 C7 C9 D8",
        "- [] C7 [] CK [BEG.BK.BJ.CA.DA] CN [] MAT T14 BEG T10 T15 ANG T7 MO1 T6 T12 MON T8 MO4 B9 BK BA B6 CQ C10 "
        "C9 C8 S10 S8 SJ SK D6 DK D9 D8 B7 B10 MO2 BN S9 SA SQ S6 DA DN MO3 D10 T11 DQ T16 LUN T13 SOL S7 CA",
        "T5",
    ),
    Position(
        "3 tricks left, 1410 deals fit: trick C4 T1, SK CQ C5",
        "piedicavallo",
        2,
        0,
        "T13 T12 T6 SK SQ S9 S8 BN BJ B9 CQ CN C5 C6 D3",
        "-=0 D5 D3 DQ DK T8 T7 T12 T17 T4 MAT T18 T6 T15 T13 T10 T19 C2 CA CN C3 BJ BQ BK B8 CJ CK C6 T3 D2 DJ DN S9 "
        "B10 BN B5 B6 B9 B7 T21 T5 T9 T14 S8 T20 S7 T2 SN SQ C4 T1",
        "CQ",
    ),
    Position(
        "3 tricks left, 844 deals fit: trick C4, T16 T1 D6",
        "piedicavallo",
        1,
        0,
        "T18 T16 T15 T14 T7 T5 T1 SN B10 B8 CK CA DN D5 D6",
        "-=0 D5 D3 DQ DK T8 T7 T12 T17 T4 MAT T18 T6 T15 T13 T10 T19 C2 CA CN C3 BJ BQ BK B8 CJ CK C6 T3 D2 DJ DN S9 "
        "B10 BN B5 B6 B9 B7 T21 T5 T9 T14 S8 T20 S7 T2 SN SQ C4",
        "T16",
    ),
    Position(
        "3 tricks left, 198 deals fit: trick CN T10 C6, CQ CJ C3",
        "piedicavallo",
        3,
        0,
        "T21 T20 T16 T3 MAT SN SJ S7 BQ B5 CQ CJ C2 C3 D4",
        "-=0 T12 T1 T20 T7 T21 T11 T2 T5 B5 B10 BN B7 D5 D3 D4 DK D2 D6 DN T3 C2 CK CA C4 DA DQ T19 MAT T8 T16 T17 "
        "T18 T15 C5 SN T9 SK S6 SJ T6 BK T4 B9 BQ S10 S5 S7 T14 CN T10 C6",
        "CJ C3",
    ),
    Position(
        "3 tricks left, 30 deals fit: trick T13 S5 B7, DN DJ D5",
        "piedicavallo",
        0,
        0,
        "T18 T14 T11 T10 T7 T5 MAT S8 S6 B10 B5 C2 C6 DN DJ D3 D5",
        "-S6.B10=0 T3 T8 T9 T11 T10 T4 T20 T2 T15 T17 MAT T12 BK B5 B6 B9 BJ T5 T6 BN C3 CK CA C2 CJ CN C6 C5 S10 S8 "
        "S9 SK S7 SQ T7 SJ D3 D4 DQ DK B8 T18 T19 BQ T21 D6 T1 T14 T13 S5 B7",
        "DN",
    ),
    Position(
        "2 tricks left, 108 deals fit: trick T16, SK CQ",
        "piedicavallo",
        2,
        0,
        "T13 T12 T6 SK SQ S9 S8 BN BJ B9 CQ CN C5 C6 D3",
        "-=0 D5 D3 DQ DK T8 T7 T12 T17 T4 MAT T18 T6 T15 T13 T10 T19 C2 CA CN C3 BJ BQ BK B8 CJ CK C6 T3 D2 DJ DN S9 "
        "B10 BN B5 B6 B9 B7 T21 T5 T9 T14 S8 T20 S7 T2 SN SQ C4 T1 C5 SJ T16",
        "SK",
    ),
    Position(
        "2 tricks left, 102 deals fit: trick B9 DK, SN S9",
        "piedicavallo",
        1,
        0,
        "T18 T11 T9 T3 T1 MAT SK SN S9 BN CK CQ CN D2 D5",
        "-=0 T3 T10 T5 T2 S5 S8 SQ SK T11 T16 T20 T6 B8 BK MAT B6 T14 T1 T21 T4 D4 T8 DQ D5 B10 T12 BN B7 C2 CQ C5 "
        "CJ D2 DA T15 D3 B5 T19 T9 BQ C6 CN C3 CA T18 T17 T7 S6 CK D6 T13 C4 B9 DK",
        "SN",
    ),
    Position(
        "3 tricks left, 64 deals fit: trick S6 SA, T15 T14 BEG",
        "ottocento",
        1,
        0,
        "LUN T15 T14 T13 T6 MO4 BEG SN B10 B8 CK CA DN D9 D10",
        "play {} - [] D10 [] D7 [] DQ [ANG.SOL.MAT.DK.DJ] DK S10 SN SK S7 T11 T9 MAT T13 MO4 T5 MO2 MO1 CN C7 C8 CK "
        "B8 BJ BQ BK B6 B10 B9 BA CA CQ MO3 C6 T16 T10 T6 T12 D6 DJ DN C10 D9 BN D8 T8 T7 LUN S8 MON S6 SA",
        "T15 T14",
    ),
    Position(
        "3 tricks left, 62 deals fit: trick DK, SJ S8 BQ",
        "ottocento",
        3,
        2,
        "T14 T10 MO4 MAT SJ S8 S6 SA BK BQ BN B6 CK C6 DJ",
        "play {} - [MAT.BK.BQ.BN] MO4 [] MO2 [SN.CN.DN] T7 [MO1.MO3.BEG] LUN T6 MAT T11 T5 DA D7 D6 DJ S6 SK SN S7 "
        "CJ CN BEG C6 T12 T14 B7 SOL B8 MO1 B6 BJ MO3 T10 C7 T16 CQ T15 CK C9 SQ SA CA T9 ANG T13 BK D10 B9 MON BN "
        "DQ DK",
        "SJ BQ",
    ),
    Position(
        "3 tricks left, 4 deals fit: to lead, BK DK DJ",
        "terziglio",
        2,
        1,
        "MON LUN T15 T14 T13 T12 T10 T6 MO1 MO4 BEG MAT SJ S8 S7 S6 SA BK BQ BN B6 BA CK C6 DK DJ",
        "gioco pass pass -T15.SJ.S8.S7.S6.SA.BA.C6 [MON.MO1.MO4.BEG.MAT.BK.BQ.BN.CK.DK.DJ] MAT [] BJ [SN.CN.DN] B9 "
        "SK SN BEG T12 MO2 T16 C8 CK C10 T6 T5 T8 T9 LUN T11 T14 SOL MO3 C9 CN MON T13 D7 ANG S10 T10 C7 B6 B7 B8 CQ "
        "MO1 CJ BN D8 B10 BQ D9 T7 S9 MO4 D10",
        "DJ",
    ),
    Position(
        "2 tricks left, 7 deals fit: trick DK, DQ DA",
        "terziglio",
        0,
        1,
        "SOL T11 T5 MO2 SK BJ B7 CJ CA C7 C9 C10 DQ DA D7 D8 D9 D10",
        "gioco pass pass - [MON.MO1.MO4.BEG.MAT.BK.BQ.BN.CK.DK.DJ] MAT [] BJ [SN.CN.DN] B9 SK SN BEG T12 MO2 T16 C8 "
        "CK C10 T6 T5 T8 T9 LUN T11 T14 SOL MO3 C9 CN MON T13 D7 ANG S10 T10 C7 B6 B7 B8 CQ MO1 CJ BN D8 B10 BQ D9 "
        "T7 S9 MO4 D10 BK CA SQ DK",
        "DQ",
    ),
)
"""Where the best cards can be worked out over all deals that fit; the others are bad."""

TIES: Final = (
    Position(
        "3 tricks left: trick C9 B6 CA, DJ D9 D10",
        "bolognese",
        3,
        3,
        "SOL T15 T12 T11 BEG S8 S6 BN CQ C6 DN DJ DA D6 D7 D9 D10",
        "-S8.BN [ANG.MON.LUN.T16] BK [] B9 [MAT.SK.SN.SA.CA] BJ [] BEG DA DQ DK D8 BA MAT T15 B7 DN T6 T14 T9 S9 SK "
        "S6 SQ MO1 T12 ANG T13 C10 C7 CJ CQ C6 C8 CK CN SJ SN T11 S10 SOL MON MO4 T5 T16 MO2 T7 D6 LUN B10 T10 D7 C9 "
        "B6 CA",
        "DJ",
    ),
    Position(
        "3 tricks left: to lead, SJ CN C10",
        "bolognese",
        3,
        1,
        "T16 T10 MO1 SQ SN SJ S8 S7 BK BA CQ CN C10 DQ DJ",
        "- [] B10 [SQ.CQ.DQ] BA [ANG.SOL.LUN] B7 [] BN S9 SK SN T7 D10 BEG D8 DQ SA S10 S7 T8 BJ MAT B9 BK SQ T6 T15 "
        "MON MO3 MO1 SOL T9 ANG MO4 MO2 T10 D7 T12 D9 DJ C8 CA CQ CJ S8 LUN T14 T11 B8 C9 T5 T16",
        "SJ CN",
    ),
    Position(
        "3 tricks left: trick C10 T13, CK C6 C7",
        "bolognese",
        1,
        1,
        "T15 T14 T12 T9 MO4 BEG MAT S9 S6 SA BN B6 CK C6 C7 C8 C9",
        "-S6.B6 [] B10 [SQ.CQ.DQ] BA [ANG.SOL.LUN] B7 [] BN S9 SK SN T7 D10 BEG D8 DQ SA S10 S7 T8 BJ MAT B9 BK SQ "
        "T6 T15 MON MO3 MO1 SOL T9 ANG MO4 MO2 T10 D7 T12 D9 DJ C8 CA CQ CJ S8 LUN T14 T11 B8 C9 T5 T16 C10 T13",
        "CK",
    ),
    Position(
        "3 tricks left: trick C10 T13 C6, DK DA D6",
        "bolognese",
        2,
        1,
        "MON T11 T5 MO2 MO3 SK S10 B10 B9 CA DK DA D6 D8 D9",
        "- [] B10 [SQ.CQ.DQ] BA [ANG.SOL.LUN] B7 [] BN S9 SK SN T7 D10 BEG D8 DQ SA S10 S7 T8 BJ MAT B9 BK SQ T6 T15 "
        "MON MO3 MO1 SOL T9 ANG MO4 MO2 T10 D7 T12 D9 DJ C8 CA CQ CJ S8 LUN T14 T11 B8 C9 T5 T16 C10 T13 C6",
        "D6",
    ),
    Position(
        "2 tricks left: trick DN, CK C7",
        "bolognese",
        1,
        1,
        "T15 T14 T12 T9 MO4 BEG MAT S9 S6 SA BN B6 CK C6 C7 C8 C9",
        "-S6.B6 [] B10 [SQ.CQ.DQ] BA [ANG.SOL.LUN] B7 [] BN S9 SK SN T7 D10 BEG D8 DQ SA S10 S7 T8 BJ MAT B9 BK SQ "
        "T6 T15 MON MO3 MO1 SOL T9 ANG MO4 MO2 T10 D7 T12 D9 DJ C8 CA CQ CJ S8 LUN T14 T11 B8 C9 T5 T16 C10 T13 C6 "
        "DK DN",
        "CK",
    ),
    Position(
        "3 tricks left: trick T18 BN, CA C3 C6",
        "piedicavallo",
        0,
        2,
        "T12 T3 SK BJ B7 CJ CA C3 C5 C6 DQ DA D4 D5 D6",
        "-=0 T5 T3 T6 T16 T4 MAT T12 T17 SN S9 SJ SK C5 CQ T2 C2 T14 T15 CJ T8 S8 BJ T10 S7 T21 T7 T11 D4 B9 B5 BK "
        "B7 S6 D5 T9 S10 B8 T1 B6 DQ T20 S5 D6 T19 T13 DJ DA B10 T18 BN",
        "CA C3",
    ),
    Position(
        "2 tricks left: trick S8 DK S9, BJ D2",
        "piedicavallo",
        3,
        0,
        "T17 T16 T14 T2 SQ SJ BN BJ B6 B5 CK CQ CN DJ D2",
        "-=0 T6 T1 T16 T21 MAT S7 S6 SQ SJ SK S5 SN C3 CA C2 CK T2 T5 T20 T7 T11 T12 T17 T19 BK BQ B7 B5 B9 T4 T9 B6 "
        "C5 CQ C6 CJ T14 T15 T13 T18 D4 DJ T8 DA B8 D3 D6 BN CN T3 DN C4 S8 DK S9",
        "BJ",
    ),
    Position(
        "2 tricks left: trick S9 BJ C3, B6 DJ",
        "piedicavallo",
        0,
        0,
        "T17 T14 T11 T9 T7 T6 SQ S8 BK B10 B6 CK CN DK DJ DA D2",
        "-SQ.S8=0 T12 T1 T20 T7 T21 T11 T2 T5 B5 B10 BN B7 D5 D3 D4 DK D2 D6 DN T3 C2 CK CA C4 DA DQ T19 MAT T8 T16 "
        "T17 T18 T15 C5 SN T9 SK S6 SJ T6 BK T4 B9 BQ S10 S5 S7 T14 CN T10 C6 CQ S9 BJ C3",
        "DJ",
    ),
    Position(
        "2 tricks left: trick T14 C9 B7, ANG SOL",
        "ottocento",
        0,
        0,
        "ANG SOL T10 T8 T7 MO1 MAT S10 SA BK B6 CJ C6 C8 DK DJ DA",
        "play {} -CJ.DA [] D10 [] D7 [] DQ [ANG.SOL.MAT.DK.DJ] DK S10 SN SK S7 T11 T9 MAT T13 MO4 T5 MO2 MO1 CN C7 "
        "C8 CK B8 BJ BQ BK B6 B10 B9 BA CA CQ MO3 C6 T16 T10 T6 T12 D6 DJ DN C10 D9 BN D8 T8 T7 LUN S8 MON S6 SA BEG "
        "S9 T14 C9 B7",
        "ANG",
    ),
    Position(
        "2 tricks left: to lead, DK DJ",
        "terziglio",
        2,
        1,
        "MON LUN T15 T14 T13 T12 T10 T6 MO1 MO4 BEG MAT SJ S8 S7 S6 SA BK BQ BN B6 BA CK C6 DK DJ",
        "gioco pass pass -T15.SJ.S8.S7.S6.SA.BA.C6 [MON.MO1.MO4.BEG.MAT.BK.BQ.BN.CK.DK.DJ] MAT [] BJ [SN.CN.DN] B9 "
        "SK SN BEG T12 MO2 T16 C8 CK C10 T6 T5 T8 T9 LUN T11 T14 SOL MO3 C9 CN MON T13 D7 ANG S10 T10 C7 B6 B7 B8 CQ "
        "MO1 CJ BN D8 B10 BQ D9 T7 S9 MO4 D10 BK CA SQ",
        "DJ",
    ),
    Position(
        "2 tricks left: trick B8 DA, SN CN",
        "terziglio",
        2,
        1,
        "LUN T16 T15 T13 T11 T6 MO1 BEG SQ SN SJ S10 S6 BN BJ B7 B6 BA CK CQ CN C6 C8 DJ D6 D10",
        "gioco pass pass -S6.BN.BJ.B7.B6.BA.D6.D10 [BEG.CK.CQ.CN] CK [ANG.SOL.MO2.MO4.MAT] C7 [SA.CA.DK.DQ.DN.DA] C9 "
        "T6 MAT T12 DN DJ D9 S7 SQ SK BK BQ BEG CQ C10 CJ C8 T7 CA ANG MO3 T13 B10 MON MO1 T10 LUN SOL T9 T8 T11 C6 "
        "T14 DK T5 D8 T15 S10 S8 S9 T16 MO2 D7 SJ MO4 SA B8 DA",
        "SN",
    ),
)
"""Where all cards are worth exactly the same, and some look bad."""
